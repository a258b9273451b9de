// The examination for people: a line for each feature, what would help below it, and the verdict
// last.
#include <array>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/doctor/examination.hpp"

namespace sbx::cli::doctor {
namespace {

constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";
/// What came from elsewhere, made safe; messages are longer than most texts.
std::string shown(const std::string& text) { return printable(text, 4096); }

constexpr std::size_t kNameWidth = 19;
constexpr std::size_t kVerdictWidth = 5;

class Writer {
 public:
  explicit Writer(bool colour) : colour_(colour) {}

  /// "name  yes  what"; only the verdict has a colour.
  void row(std::string_view name, std::string_view verdict, std::string_view colour,
           const std::string& what) {
    text_ += padded(name, kNameWidth);
    text_ += painted(padded(verdict, kVerdictWidth), colour);
    text_ += what;
    // No blanks at a line's end.
    text_.resize(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  void below(const std::string& what) {
    text_ += std::string(kNameWidth + kVerdictWidth, ' ') + shown(what) + '\n';
  }
  void line(const std::string& what) { text_ += what + '\n'; }
  std::string painted(const std::string& text, std::string_view colour) const {
    return colour_ ? std::string(colour) + text + std::string(kPlain) : text;
  }
  std::string take() && { return std::move(text_); }

 private:
  static std::string padded(std::string_view text, std::size_t width) {
    std::string out(text);
    if (out.size() < width) out.append(width - out.size(), ' ');
    return out;
  }

  std::string text_;
  bool colour_;
};

bool is_needed(const FeatureInfo& info, const Surroundings& around) {
  return info.need == Need::start || (info.need == Need::root && around.euid == 0);
}

std::string refusal(const TriedFeature& tried) {
  std::string out = tried.error == 0 ? "killed" : errno_name(tried.error);
  if (*tried.step != '\0') out += " from " + std::string(tried.step);
  return out;
}

/// The same cause is told once: on a host that refuses everything the list would hide it.
void write_features(const Examination& found, Writer& out) {
  std::string told;
  for (const Finding& finding : found.findings) {
    const FeatureInfo& info = info_of(finding.tried.feature);
    const TriedFeature& tried = finding.tried;
    if (tried.availability == Availability::works) {
      out.row(info.name, "yes", kGreen,
              tried.level > 0 ? info.use + (", ABI " + std::to_string(tried.level)) : info.use);
      continue;
    }
    if (tried.availability == Availability::untried) {
      out.row(info.name, "-", kPlain, finding.cause.why);
      continue;
    }
    const bool again = !told.empty() && told == finding.cause.why;
    const std::string why =
        finding.cause.why.empty() ? std::string("no cause is known") : shown(finding.cause.why);
    out.row(info.name, "no", is_needed(info, found.around) ? kRed : kYellow,
            refusal(tried) + (again ? ": the same" : ": " + why));
    if (!again && !finding.cause.fix.empty()) out.below("try: " + finding.cause.fix);
    told = finding.cause.why;
  }
}

void write_limits(const Examination& found, Writer& out) {
  const bool all = default_limits_hold(found.limits);
  out.row(
      "limits", all ? "yes" : "no", all ? kGreen : kRed,
      all ? "memory and processes of the whole tree" : "no cgroup for limits of the whole tree");
  const std::string missing = missing_limits(found.limits);
  if (!missing.empty()) out.below("not here: " + missing);
  if (!all) out.below("try: sbx doctor --cgroup, which says for each group what would help");
}

std::string milliseconds(double ms) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f ms", ms);
  return text.data();
}

void write_verdict(const Examination& found, Writer& out) {
  const DefaultStart& start = found.start;
  out.line("");
  if (!start.starts) {
    out.line(out.painted("tier none", kRed) +
             ": `sbx run` with the profile `default` does not start here");
    for (const std::string_view line : split(start.error, '\n'))
      out.line("  " + shown(std::string(line)));
    if (found.with_less) {
      const DefaultStart& less = *found.with_less;
      out.line("  with --degrade " + join(less.allowed, " --degrade ") + " it starts in tier " +
               out.painted(less.tier, kYellow) + ", without " + join(less.degraded, ", "));
    }
    return;
  }
  const std::string less = start.degraded.empty() ? "with every control that it asks for"
                                                  : "without " + join(start.degraded, ", ");
  out.line(out.painted("tier " + start.tier, start.degraded.empty() ? kGreen : kYellow) +
           ": `sbx run` with the profile `default` starts here " + less + ", set up in " +
           milliseconds(start.setup_ms));
}

}  // namespace

std::string to_text(const Examination& found, bool colour) {
  Writer out(colour);
  const Surroundings& around = found.around;
  out.line("Linux " + shown(around.kernel) + ", uid " + std::to_string(around.euid) +
           (around.container.empty() ? "" : ", it seems inside " + shown(around.container)));
  write_features(found, out);
  write_limits(found, out);
  write_verdict(found, out);
  return std::move(out).take();
}

}  // namespace sbx::cli::doctor
