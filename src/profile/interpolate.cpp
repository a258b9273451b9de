// Variables are put in after layering, so that a later layer (or --set vars.x) changes the values
// of an earlier one; and after parsing, so that no value can change the structure of the document.
#include "profile/interpolate.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/ascii.hpp"
#include "base/text.hpp"

namespace sbx::profile {
namespace {

bool is_name(std::string_view text) {
  const auto word = [](char c) { return is_alnum(c) || c == '_' || c == '-'; };
  return !text.empty() && !is_digit(text[0]) && text[0] != '-' && std::ranges::all_of(text, word);
}

class Interpolator {
 public:
  Interpolator(const std::map<std::string, std::string>& env, Findings& findings)
      : env_(env), findings_(findings) {}

  /// Takes `vars` apart; a value may use other variables, but not itself.
  void read_vars(const Node& vars) {
    if (vars.kind != NodeKind::map) {
      findings_.add(vars.place(), "`vars` must be a map, such as {mem: 1G}");
      return;
    }
    for (const Node& var : vars.children) {
      if (!is_name(var.key)) {
        findings_.add(var.key_at, "`" + printable(var.key, 60) + "` is no variable name",
                      "names are made of letters, digits, _ and -");
      } else if (var.kind != NodeKind::scalar) {
        findings_.add(var.at, "the variable `" + var.key + "` must be one value, not " +
                                  std::string(describe_kind(var)));
      }
      vars_[var.key] = {.node = &var};
    }
    for (auto& [name, var] : vars_) resolve(name, var, var.node->at);
  }

  void walk(Node& node) {
    if (node.kind == NodeKind::scalar && node.at.line != 0 &&
        node.text.find("${") != std::string::npos) {
      if (std::optional<std::string> text = expand(node.text, node.at)) {
        // Flow lists need quotes around ${n}, so a value that is nothing but variables counts as
        // plain; as text it may be anything, since nobody could quote it.
        if (node.text.starts_with("${") && node.text.find('}') + 1 == node.text.size()) {
          node.quoted = false;
          node.filled = true;
        }
        node.text = std::move(*text);
      } else {
        findings_.excuse(node.at);
      }
    }
    for (Node& child : node.children) walk(child);
  }

  /// A flag that sets what no text uses, and is called nearly as something else.
  void check_flags() const {
    for (const auto& [name, var] : vars_) {
      const std::string other = meant(name);
      if (!var.used && var.node->at.line == 0 && !other.empty())
        findings_.add(var.node->at,
                      "nothing uses the variable `" + printable(name, 60) + "`" + other);
    }
  }

 private:
  struct Var {
    const Node* node = nullptr;
    std::optional<std::string> value{};
    bool resolving = false;
    bool told = false;  ///< it has none, which is reported once, however often it is used
    bool used = false;
  };

  std::optional<std::string> resolve(const std::string& name, Var& var, const Origin& user) {
    if (var.value || var.told) return var.value;
    if (var.node->kind != NodeKind::scalar) return std::nullopt;
    if (var.resolving) {
      findings_.add(user, "the variable `" + name + "` is made of itself");
      return std::nullopt;
    }
    var.resolving = true;
    var.value = var.node->at.line == 0 ? var.node->text : expand(var.node->text, var.node->at);
    var.resolving = false;
    var.told = !var.value;
    return var.value;
  }

  std::optional<std::string> expand(std::string_view text, const Origin& at) {
    std::string out;
    while (!text.empty()) {
      const std::size_t dollar = text.find('$');
      out += text.substr(0, dollar);
      if (dollar == std::string_view::npos) break;
      text.remove_prefix(dollar);
      if (text.starts_with("$${")) {
        out += "${";
        text.remove_prefix(3);
        continue;
      }
      if (!text.starts_with("${")) {
        out += '$';
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = text.find('}');
      if (end == std::string_view::npos) {
        findings_.add(at, "`" + printable(text, 60) + "` has no closing brace",
                      "write $${ for a literal ${");
        return std::nullopt;
      }
      const std::optional<std::string> value = look_up(text.substr(2, end - 2), at);
      if (!value) return std::nullopt;
      out += *value;
      if (out.size() > kMaxExpanded) {
        findings_.add(
            at, "variables make this text longer than " + std::to_string(kMaxExpanded) + " bytes");
        return std::nullopt;
      }
      text.remove_prefix(end + 1);
    }
    return out;
  }

  std::optional<std::string> look_up(std::string_view reference, const Origin& at) {
    if (reference.starts_with("env:")) return look_up_env(reference.substr(4), at);
    const auto found = vars_.find(reference);
    if (found != vars_.end()) {
      found->second.used = true;
      return resolve(found->first, found->second, at);
    }
    findings_.add(at, "unknown variable `" + printable(reference, 60) + "`" + meant(reference),
                  "define it under `vars`, write ${env:NAME} for an environment variable, or $${ "
                  "for a literal ${");
    return std::nullopt;
  }

  /// "; did you mean `mem`?", or nothing.
  [[nodiscard]] std::string meant(std::string_view name) const {
    std::vector<std::string_view> names;
    for (const auto& [other, var] : vars_)
      if (other != name) names.emplace_back(other);
    const std::string_view near = nearest_name(name, names);
    return near.empty() ? "" : "; did you mean `" + std::string(near) + "`?";
  }

  std::optional<std::string> look_up_env(std::string_view reference, const Origin& at) {
    const std::size_t dash = reference.find(":-");
    const std::string name(reference.substr(0, dash));
    if (!is_name(name)) {
      findings_.add(at, "`" + printable(name, 60) + "` is no name of an environment variable");
      return std::nullopt;
    }
    const auto found = env_.find(name);
    const bool has = found != env_.end();
    // As in the shell: with a fallback, empty counts as unset.
    if (dash != std::string_view::npos && (!has || found->second.empty()))
      return std::string(reference.substr(dash + 2));
    if (has) return found->second;
    findings_.add(at, "the environment variable `" + name + "` is not set",
                  "set it, or write ${env:" + name + ":-fallback}");
    return std::nullopt;
  }

  const std::map<std::string, std::string>& env_;
  Findings& findings_;
  std::map<std::string, Var, std::less<>> vars_;
};

}  // namespace

void interpolate(Node& root, const std::map<std::string, std::string>& env, Findings& findings) {
  Interpolator interpolator(env, findings);
  Node vars;
  if (const Node* found = root.find("vars")) {
    vars = *found;
    std::erase_if(root.children, [](const Node& child) { return child.key == "vars"; });
    interpolator.read_vars(vars);
  }
  interpolator.walk(root);
  interpolator.check_flags();
}

}  // namespace sbx::profile
