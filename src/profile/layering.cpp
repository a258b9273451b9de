// Files are laid over each other in the order in which `extends` names them, depth first; a file
// that is reached twice counts once, at its first place, so that its lists are not appended twice.
#include "profile/layering.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "profile/decode.hpp"
#include "profile/yaml_reader.hpp"

namespace sbx::profile {
namespace {

/// Keys that speak of one file and are not inherited.
constexpr std::array<std::string_view, 4> kOwnKeys{"version", "extends", "name", "description"};

bool is_own_key(std::string_view key) { return std::ranges::find(kOwnKeys, key) != kOwnKeys.end(); }

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void check_version(const Node& root, Findings& findings) {
  const Node* version = root.find("version");
  if (version == nullptr) {
    findings.add(root.at, "`version` is missing", "put `version: 1` on the first line");
  } else if (version->kind != NodeKind::scalar || version->quoted || version->text != "1") {
    findings.add(version->at,
                 "`version` must be 1, the one version of the profile format there is");
  }
}

class Chain {
 public:
  Chain(const Reader& read, Findings& findings, Problems& unreadable)
      : read_(read), findings_(findings), unreadable_(unreadable) {}

  /// Reads `name` and all that it extends; false when anything could not be read. `user_file`
  /// names it, at `user`; both are null for the command line.
  bool add(const std::string& name, const SourceText* user_file, const Origin* user) {
    Result<SourceText> source = read_(name, user_file);
    if (!source) {
      report_unreadable(std::move(source).error(), user);
      return false;
    }
    const std::string identity = clean_path(source->folder + '/' + base_name(source->name));
    if (std::ranges::find(active_, identity) != active_.end()) {
      findings_.add(*user, "`extends` goes in a circle: `" + printable(source->name) +
                               "` extends itself, directly or through others");
      return false;
    }
    if (!seen_.insert(identity).second) return true;
    // Places and folders are told apart by the file's name, so no two files may share one.
    if (folders_.contains(source->name)) source->name = identity;
    if (user != nullptr && (active_.size() >= kMaxExtendsDepth || folders_.size() >= kMaxFiles)) {
      if (!std::exchange(too_many_, true))
        findings_.add(*user, "too many profiles extend each other: at most " +
                                 std::to_string(kMaxExtendsDepth) + " deep and " +
                                 std::to_string(kMaxFiles) + " in all");
      return false;
    }
    return add_source(*source, identity);
  }

  void hash(std::string_view part) {
    // The length in front keeps two different sets of texts from giving the same bytes.
    hash_.put(std::to_string(part.size()) + ':');
    hash_.put(part);
  }

  [[nodiscard]] std::string digest() const { return hash_.hex(); }
  std::map<std::string, std::string>& folders() { return folders_; }
  /// In the order of laying them over each other; the last one is the profile itself.
  std::vector<std::pair<std::string, Node>>& documents() { return documents_; }

 private:
  bool add_source(const SourceText& source, const std::string& identity) {
    findings_.read_file(source.name);
    folders_[source.name] = source.folder;
    hash(source.text);
    std::optional<Node> root = read_yaml(source.name, source.text, findings_);
    if (!root) return false;
    if (root->kind != NodeKind::map) {
      findings_.add(root->at,
                    "a profile is a map of keys, not " + std::string(describe_kind(*root)),
                    "the smallest profile is the line `version: 1`");
      return false;
    }
    check_version(*root, findings_);
    active_.push_back(identity);
    const bool whole = add_parents(*root, source);
    active_.pop_back();
    documents_.emplace_back(source.name, std::move(*root));
    return whole;
  }

  bool add_parents(const Node& root, const SourceText& source) {
    const Node* extends = root.find("extends");
    if (extends == nullptr) return true;
    if (extends->kind != NodeKind::list) {
      findings_.add(extends->place(), "`extends` must be a list, such as [python, ./team.yaml]");
      return false;
    }
    bool whole = true;
    for (const Node& parent : extends->children) {
      if (parent.kind != NodeKind::scalar || parent.text.empty()) {
        findings_.add(parent.at,
                      "`extends` takes names and paths, not " +
                          std::string(parent.kind == NodeKind::scalar ? "empty text"
                                                                      : describe_kind(parent)));
        whole = false;
      } else if (parent.text.find("${") != std::string::npos) {
        findings_.add(parent.at, "`extends` cannot use variables",
                      "variables are put in after the files are read");
        whole = false;
      } else {
        whole = add(parent.text, &source, &parent.at) && whole;
      }
    }
    return whole;
  }

  void report_unreadable(Error error, const Origin* user) {
    if (user == nullptr) {
      unreadable_.push_back(std::move(error));
    } else {
      std::string hint = std::exchange(error.hint, {});
      findings_.add(*user, "cannot extend: " + error.to_line(), std::move(hint));
    }
  }

  const Reader& read_;
  Findings& findings_;
  Problems& unreadable_;
  bool too_many_ = false;  ///< told; each further one would say the same
  std::vector<std::string> active_;
  std::set<std::string> seen_;
  std::map<std::string, std::string> folders_;
  std::vector<std::pair<std::string, Node>> documents_;
  Sha256 hash_;
};

/// Everything in an override has the flag for its place.
void set_place(Node& node, const std::string& flag) {
  node.at = Origin{flag};
  if (!node.key.empty()) node.key_at = node.at;
  for (Node& child : node.children) set_place(child, flag);
}

bool is_null(std::string_view text) {
  return text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// A plain word such as 256M or none needs no YAML parser, which costs more than the rest of
/// loading.
bool is_plain_word(std::string_view text) {
  const auto plain = [](char c) { return is_alnum(c) || c == '.' || c == '/' || c == '_'; };
  return !text.empty() && std::ranges::all_of(text, plain);
}

std::optional<Node> read_override(const Override& set, Findings& findings) {
  const std::string_view word = trim(set.yaml);
  const bool comment = word.starts_with('#') && !word.contains('\n');
  if (word.empty() || comment) {
    findings.add(Origin{set.flag}, "`" + printable(set.key, 60) + "` is given no value",
                 comment ? "`#` begins a comment; as text: '\"" + printable(word, 60) + "\"'" : "");
    return std::nullopt;
  }
  Node value;
  if (is_null(word)) {  // which the parser takes for an empty profile
    value.kind = NodeKind::null;
  } else if (is_plain_word(set.yaml)) {
    value.kind = NodeKind::scalar;
    value.text = set.yaml;
  } else {
    Findings own;
    std::optional<Node> parsed = read_yaml(set.flag, set.yaml, own);
    for (const Error& error : own.take())
      findings.add(Origin{set.flag}, "`" + printable(set.yaml, 60) + "`: " + error.what,
                   error.hint);
    if (!parsed) return std::nullopt;
    value = std::move(*parsed);
  }
  const std::vector<std::string_view> keys = split(set.key, '.');
  for (std::size_t i = keys.size(); i-- > 0;) {
    if (keys[i].empty() || keys.size() > kMaxDepth) {
      findings.add(Origin{set.flag}, "`" + printable(set.key, 60) + "` is no key",
                   "write a dotted path, such as limits.memory");
      return std::nullopt;
    }
    value.key = keys[i];
    Node map;
    map.kind = NodeKind::map;
    map.children.push_back(std::move(value));
    value = std::move(map);
  }
  set_place(value, set.flag);
  return value;
}

void add_overrides(const LoadRequest& request, Chain& chain, Node& root, Findings& findings) {
  for (const Override& set : request.overrides) {
    findings.read_file(set.flag);
    chain.folders()[set.flag] = request.cwd;
    chain.hash(set.key);
    chain.hash(set.yaml);
    if (set.key == "version" || set.key == "extends" || set.key.starts_with("extends.")) {
      findings.add(Origin{set.flag}, "`" + set.key + "` can only stand in a file");
      continue;
    }
    if (std::optional<Node> node = read_override(set, findings)) merge(root, std::move(*node));
  }
}

}  // namespace

std::optional<Layers> build_layers(const LoadRequest& request, const Reader& read,
                                   Findings& findings, Problems& unreadable) {
  Chain chain(read, findings, unreadable);
  const bool whole = chain.add(request.name, nullptr, nullptr);
  if (chain.documents().empty()) return std::nullopt;
  Layers out;
  out.name = chain.documents().back().first;
  for (std::size_t i = 0; i < chain.documents().size(); ++i) {
    Node& document = chain.documents()[i].second;
    const bool own = i + 1 == chain.documents().size();
    if (!own)
      std::erase_if(document.children, [](const Node& child) { return is_own_key(child.key); });
    document.remove("version");
    document.remove("extends");
    if (i == 0) {
      out.root = std::move(document);
    } else {
      merge(out.root, std::move(document));
    }
  }
  add_overrides(request, chain, out.root, findings);
  out.folders = std::move(chain.folders());
  out.sha256 = chain.digest();
  // A tree that lacks a file is still decoded, so that the problems of the others are told as well.
  if (!whole && findings.empty() && unreadable.empty()) return std::nullopt;
  return out;
}

}  // namespace sbx::profile
