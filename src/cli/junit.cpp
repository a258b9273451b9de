#include "cli/junit.hpp"

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "base/base64.hpp"
#include "base/text.hpp"

namespace sbx::cli {
namespace {

using Json = nlohmann::json;

/// What XML 1.0 has no way to say, not even as &#1;, becomes U+FFFD.
bool is_forbidden(std::string_view rest) {
  const auto byte = static_cast<unsigned char>(rest[0]);
  if (byte < 0x20) return byte != '\t' && byte != '\n' && byte != '\r';
  return rest.starts_with("\xef\xbf\xbe") || rest.starts_with("\xef\xbf\xbf");
}

/// `text` is UTF-8, as all of JSON is. Line ends become spaces in an attribute unless they are
/// written as numbers.
std::string escaped(std::string_view text, bool in_attribute = false) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_forbidden(text.substr(i))) {
      out += "\xef\xbf\xbd";
      if (static_cast<unsigned char>(c) >= 0x20) i += 2;  // U+FFFE and U+FFFF have three bytes
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\r' || (in_attribute && (c == '\n' || c == '\t'))) {
      out += "&#" + std::to_string(static_cast<int>(c)) + ";";
    } else {
      out += c;
    }
  }
  return out;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + escaped(value, true) + "\"";
}

std::string text_at(const Json& json, const char* path) {
  const Json* found = &json;
  for (const std::string_view key : split(path, '.')) {
    const auto next = found->find(key);
    if (next == found->end()) return "";
    found = &*next;
  }
  if (found->is_string()) return found->get<std::string>();
  return found->is_null() ? "" : found->dump();
}

std::string seconds_of(const Json& json) {
  const auto found = json.find("wall_ms");
  const double ms = found != json.end() && found->is_number() ? found->get<double>() : 0;
  std::array<char, 48> text{};
  (void)std::snprintf(text.data(), text.size(), "%.3f", ms / 1000);
  return text.data();
}

std::string command_of(const Json& json) {
  std::vector<std::string> words;
  if (const auto argv = json.find("argv"); argv != json.end() && argv->is_array())
    for (const Json& word : *argv)
      if (word.is_string()) words.push_back(word.get<std::string>());
  const std::string command = printable(quote_command(words), 500);
  return command.empty() ? "(no command)" : command;
}

/// A line for each thing that the command was refused.
std::string refusals(const Json& json) {
  std::string out;
  const auto denials = json.find("denials");
  if (denials == json.end() || !denials->is_array()) return out;
  for (const Json& denial : *denials) {
    const std::string target = text_at(denial, "target");
    const std::string allow = text_at(denial, "allow_with");
    const std::string count = text_at(denial, "count");
    out += "blocked: " + text_at(denial, "operation") + (target.empty() ? "" : " " + target) +
           (count == "1" ? "" : ", " + count + " times") +
           (allow.empty() ? "; no line of a profile allows it"
                          : "; a profile allows it with  " + allow) +
           "\n";
  }
  return out;
}

/// Of a run whose command ended well: what of it got lost.
std::string lost_of(const Json& json) {
  std::string out;
  const auto lost = json.find("undelivered");
  if (lost == json.end() || !lost->is_array()) return out;
  for (const Json& text : *lost)
    if (text.is_string()) out += (out.empty() ? "" : "; ") + text.get<std::string>();
  return out;
}

std::string verdict(const Json& json, const std::string& status, bool broken) {
  const std::string reason = status == "ok" ? lost_of(json) : text_at(json, "reason.text");
  if (reason.empty() && status == "ok") return "";
  const char* const element = broken ? "error" : "failure";
  return "      <" + std::string(element) + attribute("message", reason) +
         attribute("type", status) + ">" + escaped(reason + "\n" + refusals(json)) + "</" +
         element + ">\n";
}

std::string properties(const Json& json) {
  constexpr std::array kShown{
      std::array{"sbx.id", "id"},
      std::array{"sbx.profile", "profile.name"},
      std::array{"sbx.status", "status"},
      std::array{"sbx.exit_code", "exit_code"},
      std::array{"sbx.signal", "signal"},
      std::array{"sbx.tier", "isolation.tier"},
      std::array{"sbx.memory_peak_bytes", "memory.peak_bytes"},
      std::array{"sbx.cpu_user_ms", "cpu_ms.user"},
      std::array{"sbx.cpu_system_ms", "cpu_ms.system"},
  };
  std::string out;
  for (const auto& [name, path] : kShown) {
    const std::string value = text_at(json, path);
    if (!value.empty())
      out += "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
  }
  return "    <properties>\n" + out + "    </properties>\n";
}

/// What is no UTF-8 stands there as base64; XML has no form for it.
std::string written(const Json& json, const std::string& stream) {
  const std::string base64 = text_at(json, ("output." + stream + ".base64").c_str());
  if (base64.empty()) return text_at(json, ("output." + stream + ".text").c_str());
  return Json::parse(json_string(from_base64(base64).value_or(""))).get<std::string>();
}

std::string output(const Json& json) {
  std::string out;
  for (const char* stream : {"stdout", "stderr"}) {
    const std::string text = written(json, stream);
    const std::string element = stream == std::string_view("stdout") ? "system-out" : "system-err";
    if (text.empty()) continue;
    out.append("      <").append(element).append(">").append(escaped(text));
    out.append("</").append(element).append(">\n");
  }
  return out;
}

}  // namespace

std::string junit_of(std::string_view result) {
  const Json json = Json::parse(result, nullptr, false);
  if (!json.is_object()) return "";
  const std::string status = text_at(json, "status");
  const bool never_ran = status == "not_found" || status == "not_executable";
  const bool broken = never_ran || status == "setup_error" || status == "internal_error" ||
                      (status == "ok" && !lost_of(json).empty());
  const bool failed = !broken && status != "ok";
  const std::string time = attribute("time", seconds_of(json));
  const std::string counts = attribute("tests", "1") + attribute("failures", failed ? "1" : "0") +
                             attribute("errors", broken ? "1" : "0") + attribute("skipped", "0") +
                             time;
  const std::string profile = text_at(json, "profile.name");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + counts + ">\n  <testsuite" +
         attribute("name", "sbx") + counts + attribute("timestamp", text_at(json, "started_at")) +
         ">\n" + properties(json) + "    <testcase" + attribute("name", command_of(json)) +
         attribute("classname", "sbx." + (profile.empty() ? "default" : profile)) + time + ">\n" +
         verdict(json, status, broken) + output(json) +
         "    </testcase>\n  </testsuite>\n</testsuites>";
}

}  // namespace sbx::cli
