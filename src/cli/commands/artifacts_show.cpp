// `sbx artifacts show`: one page about a run, with its artifacts in it.
#include "artifacts/store.hpp"
#include "base/text.hpp"
#include "cli/commands/artifacts.hpp"
#include "cli/exit_code.hpp"
#include "cli/files.hpp"
#include "cli/line.hpp"
#include "cli/run_report.hpp"
#include "cli/say.hpp"
#include "report/report.hpp"

namespace sbx::cli {
namespace {

Result<std::string> page_of(const std::string& word) {
  const auto store = SBX_TRY(artifacts::Store::open(false));
  if (!store.exists()) return std::unexpected(artifacts::no_such_run(word));
  auto opened = SBX_TRY(store.opened(artifacts::Use::look));
  const artifacts::Run run = SBX_TRY(opened.find(word));
  return report::render(SBX_TRY(report_of(opened, run)));
}

/// All of the page is made before the first byte of it is written.
Result<void> write_page(const std::string& word, const std::string& target) {
  Patience patience;
  const ResultFile file = SBX_TRY(ResultFile::open(target, "--output", patience));
  const std::string page = SBX_TRY(page_of(word));
  if (file.stream() < 0) return file.write(page);
  const auto written = write_all(file.stream(), page);
  if (written) return {};
  return std::unexpected(Error{.kind = ErrorKind::host,
                               .what = "cannot write to " + quote(target),
                               .sys_errno = written.error().value});
}

int show(const std::string& word, const std::string& target) {
  if (target.empty() || target == "-") {
    const auto page = page_of(word);
    if (page) return print(*page);
    return fail_with(page.error());
  }
  const auto done = write_page(word, target);
  if (done) return kSuccess;
  return fail_with(done.error());
}

}  // namespace

int artifacts_show(const Arguments& arguments) {
  if (arguments.operands.size() > 1) return show(arguments.operands[1], arguments.output);
  say(usage_error("`sbx artifacts show` needs a RUN", "what is kept: sbx artifacts ls")
          .to_string());
  return kFailed;
}

}  // namespace sbx::cli
