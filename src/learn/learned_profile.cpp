#include "learn/learned_profile.hpp"

#include <linux/seccomp.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/machine.hpp"
#include "base/text.hpp"
#include "learn/document.hpp"
#include "plan/why_parts.hpp"
#include "seccomp/advice.hpp"
#include "seccomp/calls.hpp"
#include "seccomp/evaluate.hpp"

namespace sbx::learn {
namespace {

constexpr std::size_t kMostRemarks = 5;  // of one kind: nobody reads more

/// One line, whatever is in it.
std::string remark(const std::string& text) { return printable(text, 100); }

std::string by(const std::string& comm) { return comm.empty() ? "" : ", by " + remark(comm); }

/// The calls behind each entry of `allow`: "ptrace, process_vm_readv, by strace".
std::map<std::string, std::string> reasons(const supervise::Observations& seen) {
  std::map<std::string, std::vector<std::string>> calls;
  std::map<std::string, std::string> comm;
  std::set<std::string> told_only;
  for (const supervise::NeededCall& needed : seen.needed) {
    const seccomp::CallFacts facts = seccomp::find_call(static_cast<unsigned>(needed.call.nr));
    if (!facts) continue;
    const std::string entry = seccomp::allow_entry(facts);
    std::vector<std::string>& names = calls[entry];
    if (std::ranges::find(names, facts.call->name) == names.end())
      names.emplace_back(facts.call->name);
    comm.emplace(entry, needed.comm);
    if (!needed.given) told_only.insert(entry);
  }
  std::map<std::string, std::string> told;
  for (const auto& [entry, names] : calls)
    told[entry] = (names.size() == 1 && names[0] == entry ? "denied" : join(names, ", ")) +
                  by(comm[entry]) + (told_only.contains(entry) ? "; not given while learning" : "");
  return told;
}

/// Adds what the denied calls need; returns how many entries that are.
std::size_t add_calls(const Lesson& lesson, Document& document) {
  seccomp::Request after = lesson.plan.seccomp;
  for (const supervise::NeededCall& needed : lesson.seen.needed)
    seccomp::allow_call(after, needed.call);
  const seccomp::Changes made = seccomp::changes(lesson.plan.seccomp, after);
  const auto why = reasons(lesson.seen);
  for (const std::string& entry : made.allow) {
    const auto found = why.find(entry);
    document.add("seccomp.allow", entry, found == why.end() ? "" : found->second);
  }
  return made.allow.size();
}

void remark_on(const std::string& head, const std::vector<std::string>& lines, std::string& out) {
  if (lines.empty()) return;
  out += "# " + head + "\n";
  for (std::size_t i = 0; i < std::min(lines.size(), kMostRemarks); ++i)
    out += "#   " + lines[i] + "\n";
  if (lines.size() > kMostRemarks)
    out += "#   and " + std::to_string(lines.size() - kMostRemarks) + " more\n";
}

/// An allowlist of exactly the calls that were made, broken into lines.
std::string exact_list(const std::set<std::string>& names) {
  constexpr std::size_t kWidth = 96;
  std::string text = "!replace [";
  std::size_t column = text.size() + 9;
  for (const std::string& name : names) {
    const bool first = text.ends_with('[');
    if (!first) text += ',';
    const bool breaks = column + name.size() > kWidth;
    if (breaks) {
      text += "\n    ";
      column = 4;
    } else if (!first) {
      text += ' ';
    }
    text += name;
    column += name.size() + 2;
  }
  return text + "]";
}

/// Of a call that nobody was heard making: with some arguments at least. What the base denies stays
/// denied.
bool lets_through(const plan::Plan& plan, std::uint32_t number) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = kOwnArchitecture;
  if (seccomp::evaluate(plan.filter.program(), data) == std::uint32_t{SECCOMP_RET_ALLOW})
    return true;
  const seccomp::CallFacts call = seccomp::find_call(number);
  return call && std::ranges::find(plan.seccomp.args, call.call->name, &seccomp::ArgAllow::call) !=
                     plan.seccomp.args.end();
}

std::size_t add_exact_calls(const Lesson& lesson, std::span<const std::uint32_t> always,
                            Document& document, std::string& remarks) {
  std::set<std::string> names;
  const auto add = [&names](std::uint32_t number) {
    if (const seccomp::CallFacts facts = seccomp::find_call(number))
      names.emplace(facts.call->name);
  };
  for (const std::uint32_t number : always)
    if (lets_through(lesson.plan, number)) add(number);
  std::ranges::for_each(lesson.seen.allowed, add);
  for (const supervise::NeededCall& needed : lesson.seen.needed)
    add(static_cast<std::uint32_t>(needed.call.nr));
  document.set("seccomp.allow", exact_list(names));
  // A narrowing of a call that the list lacks would be an error.
  seccomp::Request after = lesson.plan.seccomp;
  std::erase_if(after.args,
                [&names](const seccomp::ArgAllow& entry) { return !names.contains(entry.call); });
  const std::string kept = seccomp::changes(lesson.plan.seccomp, after).args;
  if (!kept.empty()) document.set("seccomp.args", kept);
  std::vector<std::string> denied;
  for (const auto& [entry, why] : reasons(lesson.seen))
    denied.emplace_back(entry).append(": ").append(why);
  remark_on("Of these calls the profile that it extends denies:", denied, remarks);
  return names.size();
}

std::string mount_of(const Missing& one) {
  const std::string path = plan::yaml_word(one.path);
  return "{bind: " + path + ", at: " + path + "}";
}

/// The C library asks for these in most programs, whatever those need, and has its own answer where
/// they are not there.
bool has_default(std::string_view path) {
  return path == "/etc/host.conf" || path == "/etc/ld.so.preload";
}

/// Adds the mounts that are needed; what is left to a person's judgement goes into `remarks`.
std::size_t add_files(const Lesson& lesson, const FileNeeds& needs, Document& document,
                      std::string& remarks) {
  std::size_t added = 0;
  std::vector<std::string> unneeded;
  std::vector<std::string> own;
  std::vector<std::string> too_wide;
  for (const Missing& one : needs.missing) {
    const std::string who =
        (one.named > 1 ? std::to_string(one.named) + " paths in it" : "looked for") + by(one.comm);
    if (lesson.succeeded || has_default(one.path)) {
      unneeded.push_back(remark(one.path) + "  (" + who + ")");
    } else if (one.standing == HostPath::own) {
      // A profile is UTF-8: no line of it can name other bytes.
      const bool nameable = find_invalid_utf8(one.path) == std::string::npos;
      own.push_back(
          (nameable ? "- " + mount_of(one) : remark(one.path) + ", which no profile can name") +
          "  # " + remark(who));
    } else {
      document.add("mounts", mount_of(one), who);
      ++added;
    }
  }
  for (const Missing& one : needs.too_wide)
    (lesson.succeeded ? unneeded : too_wide)
        .push_back(remark(one.path) + "  (looked for" + by(one.comm) + ")");
  std::vector<std::string> refused;
  refused.reserve(needs.refused.size());
  for (const std::string& path : needs.refused) refused.push_back(remark(path));
  remark_on("Looked for, and done without:", unneeded, remarks);
  remark_on("Looked for, and for you to decide; into mounts, if the command shall have it:", own,
            remarks);
  remark_on("Looked for, and never offered as a whole; mounts can show what is in it:", too_wide,
            remarks);
  remark_on("It may not write here:", refused, remarks);
  if (needs.workspace_written && !lesson.succeeded) {
    document.set("workspace.mode", "overlay");
    remarks += "# It writes to the workspace: overlay drops that at the end, rw keeps it.\n";
    ++added;
  }
  return added;
}

}  // namespace

Learned learned_profile(const Lesson& lesson, std::span<const std::uint32_t> always,
                        const LookAtHost& look) {
  Learned learned;
  Document document;
  const bool tight = lesson.plan.supervision.learning == plan::Learning::tight;
  std::string remarks;
  learned.entries =
      tight ? add_exact_calls(lesson, always, document, remarks) : add_calls(lesson, document);
  const FileNeeds needs = file_needs(lesson.profile, lesson.plan, lesson.seen, look);
  learned.entries += add_files(lesson, needs, document, remarks);
  remark_on("Denied:", lesson.denied, remarks);
  if (lesson.seen.incomplete || needs.more)
    remarks += "# Not all paths that it named were looked at.\n";
  learned.text =
      "# Written by `sbx learn`, from one run of\n#   " +
      printable(quote_command(lesson.command), 200) + "\n# which ended with " + lesson.ended +
      ". Read it before you use it: it allows what the command asked for.\n" +
      "version: 1\nextends: [" + plan::yaml_word(lesson.base) + "]\n" + document.text() + remarks;
  return learned;
}

}  // namespace sbx::learn
