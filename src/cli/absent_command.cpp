#include "cli/absent_command.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <variant>

#include "base/host_facts.hpp"
#include "base/lexical_path.hpp"
#include "base/text.hpp"
#include "os/host_path.hpp"
#include "os/probe.hpp"
#include "os/tools_path.hpp"
#include "plan/path_finder.hpp"

namespace sbx::cli {
namespace {

std::string start_folder(const plan::Plan& plan) {
  for (const plan::Step& step : plan.steps)
    if (const auto* change = std::get_if<plan::ChangeDir>(&step.action)) return change->path;
  return "/";
}

/// Nothing: the plan has nothing there when the command starts.
std::optional<plan::Found> inside_at(const plan::Plan& plan, const std::string& path) {
  const auto place = plan::resolved(plan, path);
  if (!place) return std::nullopt;
  plan::Found found = plan::what_is_at(plan, *place);
  if (found.step == nullptr) return std::nullopt;
  const auto* empty = std::get_if<plan::MountTmpfs>(&found.step->action);
  if (empty != nullptr && *place != empty->target) return std::nullopt;
  if (found.source.empty()) found.source = found.model;
  return found;
}

/// Else what is added of the host lacks what it needs.
bool has_host_root(const plan::Plan& plan) {
  const auto found = inside_at(plan, "/usr");
  return found && found->source == "/usr";
}

bool is_host_program_inside(const plan::Plan& plan, const std::string& path) {
  const auto found = inside_at(plan, path);
  return found && !found->source.empty() && os::is_program(found->source);
}

/// Of a virtual environment, whose interpreter is of use with its packages only, all of it.
std::string what_to_show(const std::string& program) {
  const std::string above = os::parent_of(os::parent_of(program));
  return os::exists(os::join_path(above, "pyvenv.cfg")) ? above : program;
}

std::string show_it(const std::string& path) { return "--ro " + quote(path) + " shows it"; }

/// Of a program that is there: the loader that it names is not.
std::string of_loader(const plan::Plan& plan, const std::string& source) {
  const std::string loader = os::loader_of(source);
  if (!loader.starts_with('/') || inside_at(plan, loader)) return "";
  const std::string names = "it is there, and its loader " + quote(loader) + " is not";
  if (!os::exists(loader)) return names + ", nor on this host";
  return names + (has_host_root(plan) ? ": " + show_it(loader)
                                      : ": --root host shows it, with the libraries");
}

/// Of a script that is there: the program that its first line names is not.
std::string of_script(const plan::Plan& plan, const std::string& source) {
  const auto text = os::read_small_file(source);
  if (!text || !text->starts_with("#!")) return of_loader(plan, source);
  std::string_view line = std::string_view(*text).substr(2);
  line = line.substr(0, line.find('\n'));
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  const std::string program(line.substr(0, line.find_first_of(" \t")));
  if (program.ends_with('\r'))
    return "its lines end in CR LF, and the CR counts as part of " +
           quote(program.substr(0, program.size() - 1)) +
           ": convert them, for example with dos2unix";
  if (!program.starts_with('/')) return "";
  const auto at = inside_at(plan, program);
  if (at && (at->source.empty() || !os::is_missing(at->source, false))) return "";
  const std::string names = "its first line names " + quote(program);
  if (!has_host_root(plan)) return names + ", which is not inside";
  if (!os::is_program(program)) return names + ", which this host does not have either";
  return names + ", which is not inside" +
         (at ? std::string() : ": " + show_it(what_to_show(program)));
}

/// A path that leads to nothing inside.
std::string of_path(const plan::Plan& plan, const HostFacts& host, const std::string& path) {
  if (!os::is_program(path)) return "";
  const std::string start = start_folder(plan);
  const auto shown = inside_at(plan, start);
  if (shown && !shown->source.empty() && shown->source != "/" && is_below(path, shown->source))
    return quote(shown->source) + " is " + start + " inside: write ." +
           quote(path.substr(shown->source.size()));
  if (!has_host_root(plan)) return "";
  return "this host has it, and the profile does not show it: " + show_it(what_to_show(path)) +
         (os::search_path(os::base_name(path), host) == path
              ? ", and --tool " + quote(os::base_name(path)) + " with what belongs to it"
              : "");
}

bool is_line(const std::string& word) { return word.find(' ') != std::string::npos; }

std::string of_line(const std::string& line) {
  return "all of it was taken for one name: write the words apart, or as a line for a shell: "
         "sh -c " +
         quote(line);
}

std::string of_name(const plan::Plan& plan, const HostFacts& host, const std::string& name) {
  if (is_line(name)) return of_line(name);
  if (const std::size_t equals = name.find('='); equals != 0 && equals != std::string::npos)
    return "if that is to be a variable, it stands before the command: --env " + quote(name) +
           " --";
  // The first one that is there is the one that could not be started.
  for (const std::string& folder : plan.search_path)
    if (const auto found = inside_at(plan, os::join_path(folder, name));
        found && os::is_program(found->source))
      return of_script(plan, found->source);
  const std::string here = os::join_path(start_folder(plan), name);
  if (is_host_program_inside(plan, here))
    return "there is one where the command starts: ./" + quote(name);
  const auto file = inside_at(plan, here);
  if (file && !file->source.empty() && os::exists(file->source) && !os::is_folder(file->source))
    return "there is a file of this name where the command starts, and it is no program: write its "
           "interpreter before it: INTERPRETER " +
           quote(name);
  const auto program = os::search_path(name, host);
  if (!program || !has_host_root(plan)) return "";
  const auto found = inside_at(plan, *program);
  if (found && found->source != *program) return "";
  return "on this host it is " + quote(*program) +
         (found ? ", which is not on PATH inside: --tool " + quote(name) + " puts it there"
                : ", which the profile does not show: --tool " + quote(name) + " shows it");
}

}  // namespace

std::string absent_command_hint(const plan::Plan& plan) {
  if (plan.argv.empty()) return "";
  const std::string& word = plan.argv.front();
  if (const auto layout = inside_at(plan, "/oci-layout"); layout && !layout->source.empty())
    return "the root is the folder of an image: --root oci:" +
           quote(os::parent_of(layout->source)) + " runs what is in it";
  HostFacts host;
  host.env = os::caller_environment();
  if (word.find('/') == std::string::npos) return of_name(plan, host, word);
  const std::string path = lexical_path(start_folder(plan), word);
  const auto found = inside_at(plan, path);
  if (found && found->source.empty()) return "";
  if (found && os::exists(found->source)) return of_script(plan, found->source);
  const std::string hint = found ? "" : of_path(plan, host, path);
  return hint.empty() && is_line(word) ? of_line(word) : hint;
}

std::string refused_command_hint(const plan::Plan& plan) {
  if (plan.argv.empty() || plan.argv.front().find('/') == std::string::npos) return "";
  const std::string& word = plan.argv.front();
  const std::string start = start_folder(plan);
  const std::string path = lexical_path(start, word);
  const auto found = inside_at(plan, path);
  if (!found || !os::exists(found->source) || os::is_folder(found->source)) return "";
  const auto text = os::read_small_file(found->source);
  if (text && !text->starts_with("#!") &&
      !text->starts_with("\x7f"
                         "ELF"))
    return "its first line names no interpreter, as #!/bin/sh does: write one before it: "
           "INTERPRETER " +
           quote(word);
  if (os::is_program(found->source)) return "";
  // Outside of the workspace it may be a file of the system's, or of an image.
  return "its mode does not allow it" +
         (is_below(path, start) ? ": chmod +x " + quote(found->source) : std::string());
}

}  // namespace sbx::cli
