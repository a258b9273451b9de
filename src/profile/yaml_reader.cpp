// Builds nodes from yaml-cpp's events rather than from its own tree: bounds are checked as the text
// is read, so a hostile file costs no more than what it is allowed to hold.
#include "profile/yaml_reader.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <ranges>
#include <streambuf>

#include "base/late_start.hpp"
#include "base/text.hpp"
#include "profile/quick_reader.hpp"
#include "profile/yaml_syntax.hpp"
#include "profile/yaml_text.hpp"

namespace sbx::profile {
namespace {

/// Thrown out of the parser once a finding says why it makes no sense to go on; caught below.
struct Stop {};

/// A finished subtree that aliases may repeat.
struct Anchor {
  Node node;
  std::size_t count = 0;   ///< nodes in it
  std::size_t height = 0;  ///< levels in it
};

/// A list or map that is being filled.
struct Frame {
  Node node;
  YAML::anchor_t anchor = 0;
  std::size_t count = 1;
  std::size_t height = 1;
  bool brackets = false;
  bool has_key = false;
  std::string key{};
  Origin key_at{};
};

class Builder : public YAML::EventHandler {
 public:
  Builder(const std::string& file, std::string_view text, Findings& findings)
      : file_(file), rest_(text), findings_(findings) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) stop(place(mark), "a profile is one document; a second one starts here");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    count_nodes(1, mark);
    Node node;
    node.at = place(mark);
    finish(std::move(node), anchor, 1, 1);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) stop(place(mark), "this alias stands inside of what it names");
    count_nodes(found->second.count, mark);
    check_depth(found->second.height, mark);
    finish(found->second.node, 0, found->second.count, found->second.height);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    count_nodes(1, mark);
    Node node;
    node.kind = NodeKind::scalar;
    node.at = place(mark);
    node.text = value;
    // yaml-cpp gives "?" to plain scalars and "!" to quoted ones.
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    if (!node.quoted && tag != "?" && !tag.empty()) refuse_tag(node.at, tag);
    // Such as an item of a list that is indented too far: it would be taken for a part of the one
    // above, which then hides or allows something else than what is written.
    if (tag == "?" && !without_anchor(from(mark)).starts_with(value)) continued_.push_back(node.at);
    if (value.find('\0') != std::string::npos)
      findings_.add(node.at, "text must not contain a NUL byte");
    if (!is_utf8(value))
      findings_.add(node.at, "the escapes in this text do not make valid Unicode");
    finish(std::move(node), anchor, 1, 1);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    start(NodeKind::list, mark, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    start(NodeKind::map, mark, tag, anchor, style);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapEnd() override { end(); }

  [[nodiscard]] bool has_root() const { return has_root_; }
  [[nodiscard]] const Node& root() const { return root_; }
  [[nodiscard]] Node take_root() { return std::move(root_); }
  /// Innermost first.
  [[nodiscard]] std::vector<Origin> open_brackets() const {
    std::vector<Origin> open;
    for (const Frame& frame : std::views::reverse(frames_))
      if (frame.brackets) open.push_back(frame.node.at);
    return open;
  }
  /// Told at the end only: behind a bracket that is never closed, it is a consequence.
  void tell_continued() { report_continued(continued_, findings_); }

 private:
  [[nodiscard]] Origin place(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }

  /// The text from there on; marks only move forward.
  [[nodiscard]] std::string_view from(const YAML::Mark& mark) {
    for (; line_ < mark.line; ++line_) rest_.remove_prefix(rest_.find('\n') + 1);
    return rest_.substr(std::min(rest_.size(), static_cast<std::size_t>(mark.column)));
  }

  [[noreturn]] void stop(Origin at, std::string what, std::string hint = {}) {
    findings_.add(std::move(at), std::move(what), std::move(hint));
    throw Stop{};
  }

  void refuse_tag(const Origin& at, const std::string& tag) {
    findings_.add(
        at, (tag == "!replace" ? "misplaced tag `" : "unknown tag `") + printable(tag, 60) + "`",
        "the one tag of a profile is !replace, on a list or map");
  }

  void count_nodes(std::size_t more, const YAML::Mark& mark) {
    nodes_ += more;
    if (nodes_ > kMaxNodes) {
      stop(place(mark), "too many values: a profile holds at most " + std::to_string(kMaxNodes) +
                            " with its aliases expanded");
    }
  }

  void check_depth(std::size_t more, const YAML::Mark& mark) {
    if (frames_.size() + more > kMaxDepth) {
      stop(place(mark), "nested too deeply: at most " + std::to_string(kMaxDepth) + " levels");
    }
  }

  void start(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
             YAML::EmitterStyle::value style) {
    count_nodes(1, mark);
    check_depth(1, mark);
    Frame frame;
    frame.node.kind = kind;
    frame.node.at = place(mark);
    frame.anchor = anchor;
    frame.brackets = style == YAML::EmitterStyle::Flow;
    if (tag == "!replace") {
      frame.node.replace = true;
    } else if (!tag.empty() && tag != "?" && tag != "!") {
      refuse_tag(frame.node.at, tag);
    }
    frames_.push_back(std::move(frame));
  }

  void end() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor, frame.count, frame.height);
  }

  /// Hangs a complete node where it belongs: the root, the next list item, a map's key or its
  /// value.
  void finish(Node node, YAML::anchor_t anchor, std::size_t count, std::size_t height) {
    if (anchor != 0) {
      // The copy that is kept counts too, or nested anchors would multiply the work.
      nodes_ += count;
      anchors_[anchor] = {node, count, height};
    }
    if (frames_.empty()) {
      root_ = std::move(node);
      has_root_ = true;
      return;
    }
    Frame& parent = frames_.back();
    parent.count += count;
    parent.height = std::max(parent.height, height + 1);
    if (parent.node.kind == NodeKind::map) {
      if (parent.has_key) {
        add_entry(parent, std::move(node));
      } else {
        take_key(parent, std::move(node));
      }
      return;
    }
    parent.node.children.push_back(std::move(node));
  }

  void take_key(Frame& map, Node node) {
    if (node.kind != NodeKind::scalar || node.text.empty()) {
      stop(node.at, "a key must be a word, not " +
                        std::string(node.text.empty() && node.kind == NodeKind::scalar
                                        ? "empty text"
                                        : describe_kind(node)));
    }
    map.has_key = true;
    map.key = std::move(node.text);
    map.key_at = std::move(node.at);
  }

  void add_entry(Frame& map, Node node) {
    map.has_key = false;
    if (const Node* first = map.node.find(map.key)) {
      findings_.add(map.key_at, "duplicate key `" + printable(map.key, 60) + "`",
                    "it is also at line " + std::to_string(first->key_at.line));
      return;
    }
    node.key = std::move(map.key);
    node.key_at = std::move(map.key_at);
    map.node.children.push_back(std::move(node));
  }

  const std::string& file_;
  std::string_view rest_;  ///< from the beginning of line `line_`
  int line_ = 0;           ///< counted from 0, as yaml-cpp does
  Findings& findings_;
  std::vector<Frame> frames_;
  std::vector<Origin> continued_;  ///< texts that are
  std::map<YAML::anchor_t, Anchor> anchors_;
  std::size_t nodes_ = 0;
  int documents_ = 0;
  bool has_root_ = false;
  Node root_;
};

/// yaml-cpp reads from streams only; this one reads memory in place, and then an end-of-document
/// mark: without it yaml-cpp 0.7 takes a quoted text that is never closed for one that ends with
/// the file.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) : end_(text.ends_with('\n') ? "...\n" : "\n...\n") {
    show(text);
  }

 protected:
  int_type underflow() override {
    show(end_);
    end_ = {};
    return gptr() == egptr() ? traits_type::eof() : traits_type::to_int_type(*gptr());
  }

 private:
  void show(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // never written: no put area is set
    setg(begin, begin, begin + text.size());
  }

  std::string_view end_;
};

}  // namespace

std::optional<Node> parse_fully(const std::string& file, std::string_view text,
                                Findings& findings) {
  start_libraries();
  Builder builder(file, text, findings);
  try {
    TextBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Stop&) {
    builder.tell_continued();
    return std::nullopt;
  } catch (const YAML::Exception& error) {
    const SyntaxError what{error.mark.line, error.mark.column, error.msg, builder.open_brackets()};
    if (!report_syntax(file, text, what, findings)) builder.tell_continued();
    return std::nullopt;
  }
  builder.tell_continued();
  if (!builder.has_root() || builder.root().kind == NodeKind::null) {
    findings.add({file, 1, 1}, "the profile is empty",
                 "the smallest profile is the line `version: 1`");
    return std::nullopt;
  }
  return builder.take_root();
}

std::optional<Node> read_yaml(const std::string& file, std::string_view text, Findings& findings) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // a byte order mark says UTF-8 here
  if (!check_text(file, text, findings)) return std::nullopt;
  if (std::optional<Node> root = read_quickly(file, text)) return root;
  return parse_fully(file, text, findings);
}

}  // namespace sbx::profile
