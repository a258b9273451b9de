// `sbx artifacts get`: artifacts of a run, or of a digest, into a folder or to standard output.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <span>

#include "artifacts/retrieve.hpp"
#include "artifacts/store.hpp"
#include "base/text.hpp"
#include "cli/commands/artifacts.hpp"
#include "cli/exit_code.hpp"
#include "cli/line.hpp"
#include "cli/say.hpp"
#include "cli/table.hpp"
#include "os/process.hpp"

namespace sbx::cli {
namespace {

using artifacts::Artifact;
using artifacts::Kept;

constexpr std::size_t kFewestDigits = 6;

bool is_hex(std::string_view word) {
  return word.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The artifact whose digest begins so, under its latest name; nothing: there is none.
Result<std::vector<Kept>> by_digest(artifacts::Opened& store, const std::string& word) {
  auto found = SBX_TRY(store.index().with_content(word));
  if (found.empty()) return found;
  if (found.front().artifact.sha256 != found.back().artifact.sha256)
    return std::unexpected(
        usage_error(quote(word) + " begins more than one SHA-256", "give more digits of it"));
  found.resize(1);
  return found;
}

/// Of a run, or of a digest.
Result<std::vector<Kept>> find_kept(artifacts::Opened& store, const std::string& word) {
  const auto run = store.find(word);
  if (run) return store.index().list(run->id);
  if (word.size() >= kFewestDigits && is_hex(word)) {
    auto found = SBX_TRY(by_digest(store, word));
    if (!found.empty()) return found;
  }
  return std::unexpected(run.error());
}

bool is_at_or_below(std::string_view path, std::string_view place) {
  const bool absolute = place.starts_with('/');
  while (place.ends_with('/')) place.remove_suffix(1);
  if (!absolute) path.remove_prefix(1);
  return path.starts_with(place) && (path.size() == place.size() || path[place.size()] == '/');
}

Result<std::vector<Artifact>> select(const std::vector<Kept>& kept,
                                     std::span<const std::string> places) {
  std::vector<bool> met(places.size(), false);
  std::vector<Artifact> chosen;
  for (const Kept& one : kept) {
    bool wanted = places.empty();
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!is_at_or_below(one.artifact.path, places[i])) continue;
      wanted = met[i] = true;
    }
    if (wanted) chosen.push_back(one.artifact);
  }
  const auto unmet = std::ranges::find(met, false);
  if (unmet == met.end()) return chosen;
  return std::unexpected(usage_error(
      "no artifact is at or below " + quote(places[static_cast<std::size_t>(unmet - met.begin())]),
      "what there is: sbx artifacts ls" + (kept.empty() ? "" : ' ' + kept.front().run->id)));
}

/// The one of `chosen`, open.
Result<os::UniqueFd> open_one(const artifacts::Opened& store, const std::vector<Artifact>& chosen) {
  if (chosen.size() == 1) return artifacts::open_content(store, chosen.front());
  return std::unexpected(usage_error(
      "standard output takes one artifact, and these are " + std::to_string(chosen.size()),
      "name its PATH after the run"));
}

Result<void> put(std::string_view bytes) {
  const auto written = write_all(STDOUT_FILENO, bytes);
  if (written) return {};
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "cannot write to standard output",
                               .sys_errno = written.error().value});
}

Result<void> to_output(int content, const Artifact& artifact) {
  SBX_CHECK(artifacts::check(content, artifact));
  return artifacts::send(content, artifact, put);
}

/// How many contents may be open at once, beside a few other files.
std::size_t most_open() {
  constexpr ::rlim_t kOthers = 64;
  struct ::rlimit limit{};
  if (const auto hard = os::hard_limit("nofile")) (void)os::set_rlimit(RLIMIT_NOFILE, *hard);
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur <= kOthers) return 1;
  return static_cast<std::size_t>(limit.rlim_cur - kOthers);
}

/// By descriptor, so that nobody waits for us meanwhile, and what is removed meanwhile is there
/// all the same; of more files than may be open the rest in further rounds.
Result<void> write_all_below(const artifacts::Store& store, std::optional<artifacts::Opened> opened,
                             std::span<const Artifact> chosen, int folder) {
  const std::size_t most = most_open();
  while (!chosen.empty()) {
    if (!opened) opened.emplace(SBX_TRY(store.opened(artifacts::Use::look)));
    std::map<std::string_view, os::UniqueFd> contents;
    std::size_t count = 0;
    for (; count < chosen.size() && contents.size() < most; ++count)
      if (os::UniqueFd& content = contents[chosen[count].sha256]; !content.valid())
        content = SBX_TRY(artifacts::open_content(*opened, chosen[count]));
    opened.reset();
    for (const Artifact& artifact : chosen.first(count))
      SBX_CHECK(artifacts::write_below(contents[artifact.sha256].get(), artifact, folder));
    chosen = chosen.subspan(count);
  }
  return {};
}

Result<os::UniqueFd> make_folder(const std::string& name) {
  if (::mkdir(name.c_str(), 0777) == 0 || errno == EEXIST) {
    os::UniqueFd folder(::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) return folder;
  }
  return std::unexpected(Error{.kind = ErrorKind::usage,
                               .what = "cannot write to the folder " + quote(name),
                               .hint = "-o takes a folder, which is made, or - for standard "
                                       "output",
                               .sys_errno = errno});
}

Result<void> tell(const std::vector<Artifact>& written, const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const Artifact& artifact : written) bytes += artifact.bytes;
  return put(std::to_string(written.size()) + (written.size() == 1 ? " file, " : " files, ") +
             short_bytes(bytes) + ", below " + quote(folder) + "\n");
}

Result<void> get(const Arguments& arguments) {
  const std::span<const std::string> words = std::span(arguments.operands).subspan(1);
  if (words.empty())
    return std::unexpected(usage_error("`sbx artifacts get` needs a RUN, or a SHA-256",
                                       "what is kept: sbx artifacts ls"));
  const auto store = SBX_TRY(artifacts::Store::open(false));
  if (!store.exists()) return std::unexpected(artifacts::no_such_run(words[0]));
  std::optional<artifacts::Opened> opened = SBX_TRY(store.opened(artifacts::Use::look));
  const auto kept = SBX_TRY(find_kept(*opened, words[0]));
  const auto chosen = SBX_TRY(select(kept, words.subspan(1)));
  if (arguments.output == "-") {
    const os::UniqueFd content = SBX_TRY(open_one(*opened, chosen));
    opened.reset();  // runs that keep something wait for it, and our reader may be slow
    return to_output(content.get(), chosen.front());
  }
  const std::string name = arguments.output.empty() ? "." : arguments.output;
  const os::UniqueFd folder = SBX_TRY(make_folder(name));
  SBX_CHECK(write_all_below(store, std::move(opened), chosen, folder.get()));
  return tell(chosen, name);
}

}  // namespace

int artifacts_get(const Arguments& arguments) {
  const auto done = get(arguments);
  if (done) return kSuccess;
  return fail_with(done.error());
}

}  // namespace sbx::cli
