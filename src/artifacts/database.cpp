#include "artifacts/database.hpp"

#include <sqlite3.h>

#include <limits>
#include <utility>

#include "base/text.hpp"

namespace sbx::artifacts {
namespace {

/// Whoever works on the index holds the store's lock; this is for a program that does not.
constexpr int kPatienceMs = 30'000;

bool is_damage(int code) {
  const int kind = code & 0xff;
  return kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB || kind == SQLITE_FORMAT;
}

}  // namespace

void Statement::Finish::operator()(::sqlite3_stmt* statement) const {
  (void)::sqlite3_finalize(statement);  // tells again what the last step has told
}

void Database::Close::operator()(::sqlite3* database) const { (void)::sqlite3_close_v2(database); }

Statement& Statement::bind(int place, std::int64_t number) {
  (void)::sqlite3_bind_int64(statement_.get(), place, number);  // a wrong place is a bug: tests
  return *this;
}

Statement& Statement::bind(int place, std::string_view text) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr,cppcoreguidelines-pro-type-cstyle-cast): SQLite's own
  (void)::sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8);
  return *this;
}

Statement& Statement::bind_bytes(int place, std::string_view bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr,cppcoreguidelines-pro-type-cstyle-cast): SQLite's own
  (void)::sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(),
                              SQLITE_TRANSIENT);
  return *this;
}

Result<bool> Statement::step() {
  const int code = ::sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return std::unexpected(database_->error());
}

void Statement::reset() { (void)::sqlite3_reset(statement_.get()); }

bool Statement::is_null(int column) const {
  return ::sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::int64_t Statement::number(int column) const {
  return ::sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* const bytes = ::sqlite3_column_blob(statement_.get(), column);
  const int size = ::sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr || size <= 0) return {};
  return {static_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path) {
  std::unique_ptr<Database> made(new Database(path));
  ::sqlite3* handle = nullptr;
  const int code = ::sqlite3_open_v2(
      path.c_str(), &handle,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  made->database_.reset(handle);
  if (code != SQLITE_OK) return std::unexpected(made->error());
  (void)::sqlite3_busy_timeout(handle, kPatienceMs);
  // A rollback journal and no WAL: the folder may be on NFS, where no memory can be shared
  // (sqlite.org/wal.html), and what a killed process leaves is undone by the next.
  SBX_CHECK(
      made->run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL;"
                "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY;"
                "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"));
  return made;
}

Result<Statement> Database::prepare(std::string_view sql) const {
  ::sqlite3_stmt* statement = nullptr;
  if (::sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &statement,
                           nullptr) != SQLITE_OK)
    return std::unexpected(error());
  return Statement(*this, statement);
}

Result<void> Database::run(const char* sql) const {
  if (::sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    return std::unexpected(error());
  return {};
}

Result<std::int64_t> Database::ask(std::string_view sql) const {
  Statement statement = SBX_TRY(prepare(sql));
  return SBX_TRY(statement.step()) ? statement.number(0) : 0;
}

Error Database::error() const {
  if (database_ == nullptr)
    return {.kind = ErrorKind::host, .what = "no memory for the index of the artifacts"};
  const int code = ::sqlite3_extended_errcode(database_.get());
  if (is_damage(code))
    return {.kind = ErrorKind::host,
            .what = "the index of the artifacts, " + quote(path_) + ", is damaged",
            .hint =
                "move it away to begin with a new one; the next `sbx artifacts gc` then removes "
                "the contents, whose names are lost: copy them from the folder objects before"};
  const bool full = (code & 0xff) == SQLITE_FULL;
  return {.kind = ErrorKind::host,
          .what = "cannot work on the index of the artifacts, " + quote(path_) + ": " +
                  ::sqlite3_errmsg(database_.get()),
          .hint = full ? "make a little room there, which `sbx artifacts gc` needs, too" : ""};
}

Result<Transaction> Transaction::begin(const Database& database) {
  SBX_CHECK(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  if (database_ != nullptr) (void)database_->run("ROLLBACK");  // else the next opener does it
}

Result<void> Transaction::commit() {
  SBX_CHECK(std::exchange(database_, nullptr)->run("COMMIT"));
  return {};
}

}  // namespace sbx::artifacts
