#include "artifacts/index.hpp"

#include <limits>
#include <map>

#include "base/text.hpp"

namespace sbx::artifacts {
namespace {

constexpr std::int64_t kVersion = 1;

/// Times are milliseconds since 1970, a command its words with 0 bytes between.
constexpr const char* kTables = R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, profile TEXT NOT NULL, command BLOB NOT NULL,
  status TEXT NOT NULL, ended_at INTEGER NOT NULL, expires_at INTEGER,
  result BLOB NOT NULL, usage BLOB NOT NULL);
CREATE INDEX runs_by_end_of_time ON runs(expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE artifacts(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id) ON DELETE CASCADE,
  path BLOB NOT NULL, media_type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL);
CREATE INDEX artifacts_by_run ON artifacts(run);
CREATE INDEX artifacts_by_content ON artifacts(sha256);
PRAGMA user_version = 1;
)";

constexpr std::string_view kRunColumns =
    "SELECT r.run, r.profile, r.command, r.status, r.ended_at, r.expires_at";

std::string command_bytes(const std::vector<std::string>& argv) {
  return join(argv, std::string_view("\0", 1));
}

std::vector<std::string> command_of(const std::string& bytes) {
  std::vector<std::string> argv;
  for (const std::string_view word : split(bytes, '\0')) argv.emplace_back(word);
  return argv;
}

std::int64_t ms_of(Time time) { return time.time_since_epoch().count(); }
Time time_of(std::int64_t ms) { return Time(std::chrono::milliseconds(ms)); }

/// Of a row that begins with kRunColumns.
Run run_of(const Statement& row) {
  Run run{row.text(0), row.text(1), command_of(row.text(2)), row.text(3), time_of(row.number(4)),
          {}};
  if (!row.is_null(5)) run.expires_at = time_of(row.number(5));
  return run;
}

/// A run's id, then path, type, size and digest.
std::string kept_query(std::string_view rest) {
  return "SELECT r.run, a.path, a.media_type, a.size, a.sha256"
         " FROM artifacts a JOIN runs r ON r.id = a.run " +
         std::string(rest);
}

Artifact artifact_of(const Statement& row) {
  return {row.text(1), static_cast<std::uint64_t>(row.number(3)), row.text(4), row.text(2)};
}

template <class Row, class Read>
Result<std::vector<Row>> all_rows(Statement statement, const Read& read) {
  std::vector<Row> rows;
  while (SBX_TRY(statement.step())) rows.push_back(read(statement));
  return rows;
}

std::string first_text(const Statement& row) { return row.text(0); }

}  // namespace

Result<Index> Index::open(const std::string& path) {
  Index index(SBX_TRY(Database::open(path)));
  SBX_CHECK(index.prepare_tables(path));
  return index;
}

Result<void> Index::prepare_tables(const std::string& path) {
  const std::int64_t version = SBX_TRY(database_->ask("PRAGMA user_version"));
  if (version == kVersion) return {};
  if (version != 0)
    return std::unexpected(
        Error{.kind = ErrorKind::host,
              .what = "the index of the artifacts, " + quote(path) + ", has the format " +
                      std::to_string(version) + ", and this sbx knows format 1",
              .hint = "use the version of sbx that has made it, or move it away"});
  Transaction transaction = SBX_TRY(begin());
  SBX_CHECK(database_->run(kTables));
  return transaction.commit();
}

Result<void> Index::add(const Run& run, const Story& story,
                        const std::vector<Artifact>& artifacts) {
  Statement insert_run = SBX_TRY(database_->prepare(
      "INSERT INTO runs(run, profile, command, status, ended_at, expires_at, result, usage)"
      " VALUES(?, ?, ?, ?, ?, ?, ?, ?)"));
  insert_run.bind(1, run.id).bind(2, run.profile).bind_bytes(3, command_bytes(run.argv));
  insert_run.bind(4, run.status).bind(5, ms_of(run.ended_at));
  if (run.expires_at) insert_run.bind(6, ms_of(*run.expires_at));
  insert_run.bind_bytes(7, story.result).bind_bytes(8, story.usage);
  SBX_TRY(insert_run.step());
  const std::int64_t row = SBX_TRY(database_->ask("SELECT last_insert_rowid()"));

  Statement insert = SBX_TRY(database_->prepare(
      "INSERT INTO artifacts(run, path, media_type, size, sha256) VALUES(?, ?, ?, ?, ?)"));
  for (const Artifact& artifact : artifacts) {
    insert.reset();
    insert.bind(1, row).bind_bytes(2, artifact.path).bind(3, artifact.media_type);
    insert.bind(4, static_cast<std::int64_t>(artifact.bytes)).bind(5, artifact.sha256);
    SBX_TRY(insert.step());
  }
  return {};
}

Result<std::vector<std::string>> Index::remove(const std::string& run) {
  Statement contents = SBX_TRY(database_->prepare(
      "SELECT DISTINCT a.sha256 FROM artifacts a JOIN runs r ON r.id = a.run WHERE r.run = ?"));
  contents.bind(1, run);
  auto digests = SBX_TRY(all_rows<std::string>(std::move(contents), first_text));
  Statement removal = SBX_TRY(database_->prepare("DELETE FROM runs WHERE run = ?"));
  removal.bind(1, run);
  SBX_TRY(removal.step());
  std::vector<std::string> unused;
  for (std::string& digest : digests)
    if (!SBX_TRY(refers_to(digest))) unused.push_back(std::move(digest));
  return unused;
}

Result<std::vector<Run>> Index::runs() const {
  return all_rows<Run>(SBX_TRY(database_->prepare(std::string(kRunColumns) +
                                                  " FROM runs r ORDER BY r.ended_at, r.run")),
                       run_of);
}

Result<Run> Index::run(std::string_view id) const {
  Statement row =
      SBX_TRY(database_->prepare(std::string(kRunColumns) + " FROM runs r WHERE r.run = ?"));
  row.bind(1, id);
  if (!SBX_TRY(row.step())) return Run{};
  return run_of(row);
}

Result<std::vector<Kept>> Index::all_kept(Statement rows) const {
  std::map<std::string, std::shared_ptr<const Run>> runs;
  std::vector<Kept> kept;
  while (SBX_TRY(rows.step())) {
    const std::string id = rows.text(0);
    std::shared_ptr<const Run>& shared = runs[id];
    if (shared == nullptr) shared = std::make_shared<const Run>(SBX_TRY(run(id)));
    kept.push_back({shared, artifact_of(rows)});
  }
  return kept;
}

Result<std::vector<Kept>> Index::list(std::optional<std::string_view> run) const {
  Statement rows = SBX_TRY(database_->prepare(
      kept_query(run ? "WHERE r.run = ? ORDER BY a.id" : "ORDER BY r.ended_at, r.run, a.id")));
  if (run) rows.bind(1, *run);
  return all_kept(std::move(rows));
}

Result<std::vector<Kept>> Index::with_content(std::string_view digest_begin) const {
  Statement rows = SBX_TRY(database_->prepare(
      kept_query("WHERE substr(a.sha256, 1, length(?1)) = ?1 ORDER BY a.sha256, r.ended_at DESC")));
  rows.bind(1, digest_begin);
  return all_kept(std::move(rows));
}

Result<Story> Index::story(std::string_view run) const {
  Statement row = SBX_TRY(database_->prepare("SELECT result, usage FROM runs WHERE run = ?"));
  row.bind(1, run);
  if (!SBX_TRY(row.step())) return Story{};
  return Story{row.text(0), row.text(1)};
}

Result<bool> Index::refers_to(std::string_view digest) const {
  Statement row = SBX_TRY(database_->prepare("SELECT 1 FROM artifacts WHERE sha256 = ? LIMIT 1"));
  row.bind(1, digest);
  return row.step();
}

Result<std::vector<std::string>> Index::expired(Time now, int most) const {
  Statement rows = SBX_TRY(
      database_->prepare("SELECT run FROM runs WHERE expires_at <= ? ORDER BY expires_at LIMIT ?"));
  rows.bind(1, ms_of(now)).bind(2, std::int64_t{most});
  return all_rows<std::string>(std::move(rows), first_text);
}

}  // namespace sbx::artifacts
