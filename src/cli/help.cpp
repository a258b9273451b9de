#include "cli/help.hpp"

#include <array>

namespace sbx::cli {
namespace {

constexpr std::size_t kColumn = 32;  ///< where the explanations start
constexpr std::size_t kWidth = 80;

/// "  --flag ARG      explanation", the explanation broken at spaces.
std::string entry(std::string_view left, std::string_view right) {
  std::string out = "  " + std::string(left);
  while (!right.empty()) {
    if (out.size() - (out.rfind('\n') + 1) >= kColumn - 1 && out.find('\n') == std::string::npos)
      out += '\n';
    const std::size_t line_start = out.rfind('\n') + 1;  // npos + 1 is 0
    out.append(kColumn - (out.size() - line_start), ' ');
    std::size_t end = right.size();
    if (end > kWidth - kColumn) end = right.rfind(' ', kWidth - kColumn);
    out.append(right.substr(0, end));
    right.remove_prefix(end == right.size() ? end : end + 1);
    if (!right.empty()) out += '\n';
  }
  return out + "\n";
}

std::string_view about(Verb verb) {
  switch (verb) {
    case Verb::run:
      return "Runs CMD once in a fresh sandbox, streams its output, and exits with its code.\n"
             "124: time limit; 125: sbx failed and CMD never ran; 126: not executable; 127:\n"
             "not found; 128+n: killed by signal n (137: out of memory).\n"
             "\n"
             "PROFILE is a path (with a '/', or ending in .yaml or .yml) or a name of\n"
             "`sbx profiles ls`; `default` when there is none. A flag wins over the profile.\n";
    case Verb::batch:
      return "Runs the jobs of a file (-: standard input), one JSON object a line, and writes\n"
             "one line with the result of each, in the order in which they end. All lines\n"
             "are checked first. Keys of a job: argv; id, profile, overrides (a last layer of\n"
             "the profile), stdin (text, base64 or file), files (in a workspace of its own).\n"
             "Flags win over what a job says. Exits with 0 when all are ok, 1 when one is\n"
             "not, 125 when sbx failed, 128+n when signal n has ended it.\n";
    case Verb::explain:
      return "Prints, in order and with its reason, each step that `sbx run` with the same\n"
             "arguments would take. Nothing is run. With --why, answers one question: what CMD\n"
             "would meet, and which line of which file decides it.\n";
    case Verb::learn:
      return "Runs CMD as `sbx run` would, but lets denied system calls through that a profile\n"
             "could allow and that reach nothing outside, and looks at the files that CMD\n"
             "names. Then it writes a profile that extends PROFILE with what was needed. Files\n"
             "and network stay as strict as PROFILE has them: what was missing is written\n"
             "down, not given. Learn again on top of a learned profile to add what another run\n"
             "needs. Exits with CMD's code.\n";
    case Verb::check:
      return "Prints every problem of each PROFILE as file:line:column: message. Exits with 0\n"
             "when there is none, with 125 otherwise.\n";
    case Verb::profiles:
      return "`ls` prints the names of the profiles that can be used, where each comes from,\n"
             "and what it is for; `show NAME` prints the text of one.\n";
    case Verb::doctor:
      return "Tries each kernel feature for real, says why one is refused and what helps, and\n"
             "runs `true` under the profile `default`. Exits with 0 when that starts with\n"
             "every control, with 125 otherwise. --cgroup tries the limits only.\n";
    case Verb::ps:
      return "Lists your live runs: those whose supervisor answers. Root sees root's.\n";
    case Verb::stats:
      return "Prints what RUN, or every live run, uses right now: processor time, memory,\n"
             "processes, disk. RUN is an id of `sbx ps`, or what it alone begins or ends with.\n";
    case Verb::pause:
      return "Stops every process of each RUN until `sbx resume`; its time limits wait as\n"
             "well. RUN is an id of `sbx ps`, or what it alone begins or ends with.\n";
    case Verb::resume:
      return "Lets each paused RUN go on. RUN is an id of `sbx ps`, or what it alone begins\n"
             "or ends with.\n";
    case Verb::kill:
      return "Ends each RUN at once, and returns when nothing of it is left; its own `sbx run`\n"
             "exits with 137. RUN is an id of `sbx ps`, or what it alone begins or ends with.\n";
    case Verb::diff:
      return "Prints what a run under `workspace: {mode: overlay, keep: diff}` has changed:\n"
             "how much of each PATH (all when none is named), then the lines. Without RUN,\n"
             "lists the runs whose changes are kept. RUN is an id, or what it alone begins\n"
             "or ends with.\n";
    case Verb::apply:
      return "Puts the kept changes of RUN in the workspace that it was given: all, or those\n"
             "at and below each PATH. When something of it is not as the run found it, says\n"
             "what, changes nothing, and exits with 125. Each file is changed at once or not\n"
             "at all; after an interruption the same command does the rest.\n";
    case Verb::discard:
      return "Removes what is kept of each RUN. The workspace stays as it is.\n";
    case Verb::artifacts:
      return "The files that runs have left, for which their profiles asked (`artifacts`).\n"
             "ls [RUN]            list them, of all runs or of one\n"
             "get RUN [PATH...]   write them below a folder (-o; else the current one), all\n"
             "                    or those at and below each PATH; -o -: one, to standard\n"
             "                    output. A SHA-256, or its first digits, in place of RUN\n"
             "show RUN            one page about the run, HTML, to a file (-o), else to\n"
             "                    standard output\n"
             "gc                  remove runs whose time is over, and what no run has\n"
             "verify              read all of it, and say what is damaged\n"
             "RUN is an id, or what it alone begins or ends with.\n";
    case Verb::mcp:
      return "Serves one client of the Model Context Protocol on standard input and output,\n"
             "until it closes them: tools that run commands, Python, Node and shell scripts,\n"
             "each in a fresh sandbox, and that read, write and compare the files they share.\n"
             "PROFILE and FLAGS are the most that a client gets: it may ask for less, never\n"
             "for more. With --workspace DIR:overlay all of a session works on a copy; with\n"
             "--keep apply the client may put its changes into DIR, with --keep diff they are\n"
             "kept for `sbx diff`. Nothing of your environment enters.\n";
    case Verb::schema:
      return "Prints a JSON Schema (2020-12). KIND is what it is of:\n"
             "profile    a profile, as JSON\n"
             "result     the result object of a run\n"
             "event      one line of --events\n"
             "live       a live run, as `sbx ps --json` and `sbx stats --json` have it\n"
             "doctor     what `sbx doctor --json` prints\n"
             "changes    what `sbx diff --json` prints\n"
             "artifacts  what `sbx artifacts ls --json` prints\n"
             "job        a line of the jobs of `sbx batch`\n"
             "batch      a line of its results\n";
    case Verb::completion:
      return "Prints the completions for a shell. To use them now:\n"
             "  source <(sbx completion bash)\n"
             "  source <(sbx completion zsh)\n"
             "  sbx completion fish | source\n";
  }
  return "";
}

std::string_view examples(Verb verb) {
  switch (verb) {
    case Verb::run:
      return "\nExamples:\n"
             "  sbx run python --timeout 10s --memory 256M -- python3 code.py\n"
             "  sbx run --workspace .:rw --result r.json -- make test\n";
    case Verb::batch:
      return "\nExamples:\n"
             "  sbx batch jobs.jsonl -j 4 --profile python -o results.jsonl\n"
             "  sbx batch jobs.jsonl -j 4 --profile python -o results.jsonl --resume\n"
             "  echo '{\"argv\": [\"id\"]}' | sbx batch - --memory 64M\n";
    case Verb::explain:
      return "\nExamples:\n"
             "  sbx explain python -- python3 code.py\n"
             "  sbx explain ./team.yaml --net host --json\n"
             "  sbx explain python --why path:/etc/shadow --why syscall:ptrace\n";
    case Verb::learn:
      return "\nExamples:\n"
             "  sbx learn -o mine.yaml -- strace -f ./tool\n"
             "  sbx learn -o both.yaml ./mine.yaml -- ./other-tool\n"
             "  sbx learn -o tight.yaml --tight python -- python3 code.py\n";
    case Verb::check:
      return "\nExamples:\n  sbx check profiles/*.yaml\n  sbx check python\n";
    case Verb::profiles:
      return "\nExamples:\n  sbx profiles ls\n  sbx profiles show python > mine.yaml\n";
    case Verb::stats:
      return "\nExamples:\n  sbx stats --watch\n  sbx stats 9f86d081 --json --watch --interval "
             "5s\n";
    case Verb::kill:
      return "\nExamples:\n  sbx kill 9f86d081\n  sbx kill --all --signal TERM\n";
    case Verb::diff:
      return "\nExamples:\n  sbx diff 9f86d081\n  sbx diff 9f86d081 src --patch | git apply\n";
    case Verb::apply:
      return "\nExamples:\n  sbx apply 9f86d081\n  sbx apply 9f86d081 src README.md\n";
    case Verb::artifacts:
      return "\nExamples:\n  sbx artifacts get 9f86d081 -o results\n"
             "  sbx artifacts get 9f86d081 /workspace/out/plot.png -o - > plot.png\n"
             "  sbx artifacts show 9f86d081 -o report.html\n"
             "  sbx artifacts gc --older-than 1d --max 1G\n";
    case Verb::mcp:
      return "\nExamples:\n  sbx mcp python --workspace ./project:overlay --keep apply --timeout "
             "30s\n"
             "  sbx mcp shell --memory 1G --log mcp.log\n";
    case Verb::doctor:
    case Verb::ps:
    case Verb::pause:
    case Verb::resume:
    case Verb::discard:
    case Verb::schema:
    case Verb::completion:
      return "";
  }
  return "";
}

}  // namespace

std::string overview() {
  std::string out =
      "sbx runs one untrusted command in a hardened Linux sandbox.\n"
      "usage: sbx run [PROFILE] [FLAGS] -- CMD [ARG...]\n"
      "\n";
  for (const VerbSpec& verb : verbs()) out += entry(verb.name, verb.summary);
  return out +
         "\n"
         "  sbx VERB --help               all flags of a verb\n"
         "  sbx --version                 the version\n"
         "\n"
         "Try: sbx run -- sh -c 'id; ls /'     Manual: man sbx, man sbx-profile\n";
}

std::string help(const VerbSpec& verb) {
  std::string out =
      "usage: sbx " + std::string(verb.synopsis) + "\n\n" + std::string(about(verb.verb));
  constexpr std::array kGroups{Group::files,     Group::identity, Group::limits, Group::network,
                               Group::hardening, Group::streams,  Group::jobs,   Group::output,
                               Group::live,      Group::kept,     Group::general};
  for (const Group group : kGroups) {
    std::string entries;
    for (const OptionSpec& option : options()) {
      if (option.group != group || !knows(verb, option)) continue;
      std::string left(option.name);
      if (!option.argument.empty()) left.append(" ").append(option.argument);
      std::string right(option.help);
      if (option.repeats) right += " (repeats)";
      entries += entry(left, right);
    }
    if (!entries.empty()) out.append("\n").append(title(group)).append(":\n").append(entries);
  }
  return out.append(examples(verb.verb));
}

std::string list_options() {
  std::string out;
  const auto line = [&out](std::initializer_list<std::string_view> fields) {
    for (const std::string_view field : fields) {
      if (field.data() != fields.begin()->data()) out += '\t';
      out += field;
    }
    out += '\n';
  };
  for (const VerbSpec& verb : verbs()) line({"verb", verb.name, verb.words, verb.summary});
  for (const OptionSpec& option : options())
    line({"flag", option.name, option.argument, option.key, option.words,
          option.repeats ? "repeats" : "once", option.verbs, option.help});
  return out;
}

}  // namespace sbx::cli
