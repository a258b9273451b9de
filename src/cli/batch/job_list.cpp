#include "cli/batch/job_list.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/quantity.hpp"
#include "base/text.hpp"
#include "cli/say.hpp"
#include "os/lines.hpp"

namespace sbx::cli::batch {
namespace {

using profile::Problems;
using sbx::batch::Capacity;
using sbx::batch::kAllMemory;
using sbx::batch::Need;

constexpr std::size_t kMostProblems = 20;

Error failed(std::string what, int error, std::string hint = {}) {
  return {.kind = ErrorKind::usage,
          .what = std::move(what),
          .hint = std::move(hint),
          .sys_errno = error};
}

/// Everything that can be read from `from`, in a file that goes with its descriptor.
Result<os::UniqueFd> spool(int from, const std::string& name) {
  const char* const named = std::getenv("TMPDIR");
  const std::string folder = named != nullptr && *named == '/' ? named : "/tmp";
  os::UniqueFd file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file.valid())
    return std::unexpected(failed("cannot make a temporary file in " + quote(folder), errno,
                                  "TMPDIR names another folder"));
  std::array<char, std::size_t{64} * 1024> piece{};
  while (true) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(failed("cannot read " + name, errno));
    if (got == 0) return file;
    const std::string_view bytes(piece.data(), static_cast<std::size_t>(got));
    if (const auto kept = write_all(file.get(), bytes); !kept)
      return std::unexpected(
          failed("cannot keep " + name + " in " + quote(folder), kept.error().value));
  }
}

/// A job that could never be admitted.
std::optional<Error> too_much(const Need& need, const Capacity& total, const std::string& where) {
  if (need.memory != kAllMemory && need.memory > total.memory)
    return Error{ErrorKind::host,
                 "limits.memory (" + format_bytes(need.memory) + ") is more than " +
                     (total.said ? "--total-memory (" + format_bytes(total.memory)
                                 : "there is (" + std::to_string(total.memory >> 20U) + "M") +
                     ")",
                 where,
                 total.said ? "a smaller limit, or more for all jobs together"
                            : "a smaller limit, or another host"};
  if (need.cores > total.cores)
    return Error{ErrorKind::host,
                 "limits.cpus is more than the " +
                     std::to_string(static_cast<unsigned>(total.cores)) + " cores that there are",
                 where, "a smaller limit, or another host"};
  return std::nullopt;
}

/// An id, and the line that has it.
using Use = std::pair<sbx::batch::Digest, std::uint32_t>;

/// Two jobs with one id: two results that nobody could tell apart. `ids`: of jobs that are not in
/// the list.
void check_ids(const JobList& list, std::vector<Use> ids, Problems& problems) {
  ids.reserve(ids.size() + list.jobs.size());
  for (const Entry& entry : list.jobs) ids.emplace_back(entry.id, entry.line);
  std::ranges::sort(ids);
  for (std::size_t i = 1; i < ids.size() && problems.size() <= kMostProblems; ++i)
    if (ids[i].first == ids[i - 1].first)
      problems.push_back(Error{
          ErrorKind::usage,
          "this job has the id of the one on line " + std::to_string(ids[i - 1].second),
          list.name + ":" + std::to_string(ids[i].second), "each result is known by its job's id"});
}

class Checker {
 public:
  Checker(JobList& list, Policies& policies, const Capacity& total)
      : list_(list), policies_(policies), total_(total) {}

  void check(const os::FileLine& line, std::uint32_t number) {
    if (take_job(line, number)) return;
    if (const auto id = sbx::batch::id_of(line.text, number))
      refused_.emplace_back(sbx::batch::digest_of(*id), number);
  }
  void add(const Problems& more) { problems_.insert(problems_.end(), more.begin(), more.end()); }
  [[nodiscard]] bool has_enough() const { return problems_.size() > kMostProblems; }
  Problems take() {
    check_ids(list_, std::move(refused_), problems_);
    // Where jobs write to the host, one may make what a later one reads.
    if (policies_.independent()) add(inputs_);
    std::ranges::stable_sort(problems_, {}, [this](const Error& e) { return place(e); });
    if (has_enough()) {
      problems_.resize(kMostProblems);
      problems_.push_back(Error{ErrorKind::usage, "there are more problems; these come first"});
    }
    return std::move(problems_);
  }

 private:
  /// Puts the job into the list, or tells what is wrong with it.
  bool take_job(const os::FileLine& line, std::uint32_t number) {
    const std::string where = list_.name + ":" + std::to_string(number);
    const auto job = sbx::batch::read_job(line.text, number, where);
    if (!job) return refuse(job.error());
    auto found = policies_.find(*job, line.text.size());
    if (!found) {
      for (Error& error : found.error())
        error.where = error.where.empty() ? where : where + ": " + error.where;
      return refuse(found.error());
    }
    if (auto input = std::move(found->input); input && inputs_.size() <= kMostProblems) {
      input->where = where;
      inputs_.push_back(*std::move(input));
    }
    if (auto error = too_much(found->need, total_, where)) return refuse({*std::move(error)});
    list_.jobs.push_back({line.offset, static_cast<std::uint32_t>(line.text.size()), number,
                          found->number, sbx::batch::digest_of(line.text),
                          sbx::batch::digest_of(job->id), found->profile, found->need,
                          found->ahead});
    return true;
  }
  bool refuse(const Problems& why) {
    add(why);
    return false;
  }
  /// The number of the line; problems are told in their order.
  [[nodiscard]] std::uint64_t place(const Error& error) const {
    const std::string_view rest =
        std::string_view(error.where).substr(std::min(error.where.size(), list_.name.size() + 1));
    return parse_number<std::uint64_t>(rest.substr(0, rest.find(':'))).value_or(0);
  }

  JobList& list_;
  Policies& policies_;
  const Capacity& total_;
  Problems problems_;
  std::vector<Use> refused_;
  Problems inputs_;  ///< files that are to be standard inputs, and are none now
};

}  // namespace

Result<JobList> open_jobs(const std::string& path) {
  const bool standard = path == "-";
  JobList list{standard ? "<stdin>" : path, {}, {}};
  os::UniqueFd file(standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
                             : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  struct ::stat about{};
  if (!file.valid() || ::fstat(file.get(), &about) != 0)
    return std::unexpected(failed("cannot read the jobs " + quote(list.name), errno));
  if (S_ISDIR(about.st_mode))
    return std::unexpected(failed("cannot read the jobs " + quote(list.name), EISDIR));
  // What has been read of standard input already is somebody else's.
  const bool from_start = !standard || ::lseek(file.get(), 0, SEEK_CUR) == 0;
  if (S_ISREG(about.st_mode) && from_start)
    list.file = std::move(file);
  else
    list.file = SBX_TRY(spool(file.get(), list.name));
  return list;
}

std::expected<void, Problems> check_jobs(JobList& list, Policies& policies, const Capacity& total) {
  Checker checker(list, policies, total);
  os::LineReader reader(list.file.get(), sbx::batch::kLongestLine);
  for (std::uint32_t number = 1; !checker.has_enough(); ++number) {
    const auto line = reader.next();
    const std::string where = list.name + ":" + std::to_string(number);
    if (!line) {
      const bool longer = line.error().value == EMSGSIZE;
      checker.add({Error{ErrorKind::usage,
                         longer ? "this line is longer than 16 MiB" : "cannot read the jobs", where,
                         longer ? "big files are better mounted: overrides.mounts" : "",
                         longer ? 0 : line.error().value}});
      break;
    }
    if (!*line) break;
    if (!trim((*line)->text).empty()) checker.check(**line, number);
  }
  if (Problems problems = checker.take(); !problems.empty())
    return std::unexpected(std::move(problems));
  return {};
}

Result<std::string> line_of(const JobList& list, const Entry& entry) {
  auto text = os::read_at(list.file.get(), entry.offset, entry.length);
  if (text && sbx::batch::digest_of(*text) == entry.digest) return *std::move(text);
  return std::unexpected(Error{.kind = ErrorKind::usage,
                               .what = "the jobs have changed while they ran",
                               .where = list.name + ":" + std::to_string(entry.line),
                               .hint = "what has run has its result",
                               .sys_errno = text ? 0 : text.error().value});
}

}  // namespace sbx::cli::batch
