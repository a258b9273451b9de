#include "supervise/control_protocol.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "base/json_line.hpp"
#include "base/text.hpp"

namespace sbx::supervise {
namespace {

using Json = nlohmann::ordered_json;

struct ActionName {
  std::string_view name;
  Action action;
};
constexpr std::array kActions{ActionName{"kill", Action::kill}, ActionName{"pause", Action::pause},
                              ActionName{"resume", Action::resume},
                              ActionName{"stats", Action::stats}};

struct SignalName {
  std::string_view name;
  int number;
};
// STOP, TSTP and CONT are not among them: pause and resume are for that, and init would take STOP
// for itself.
constexpr std::array kSignals{
    SignalName{"TERM", SIGTERM}, SignalName{"INT", SIGINT},   SignalName{"HUP", SIGHUP},
    SignalName{"QUIT", SIGQUIT}, SignalName{"USR1", SIGUSR1}, SignalName{"USR2", SIGUSR2},
    SignalName{"ABRT", SIGABRT}, SignalName{"ALRM", SIGALRM}, SignalName{"KILL", SIGKILL}};

/// The text of `key`, or empty: no such key, or no text.
std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Json parse_object(std::string_view line) {
  // No callback, no exceptions: what is no JSON comes back as "discarded", which is no object.
  return Json::parse(line.begin(), line.end(), nullptr, false);
}

}  // namespace

std::expected<Request, std::string> parse_request(std::string_view line) {
  if (line.size() > kLongestRequest) return std::unexpected("the request is too long");
  const Json json = parse_object(line);
  if (!json.is_object()) return std::unexpected("the request is no JSON object");
  const std::string wanted = text_of(json, "do");
  const auto* const action = std::ranges::find(kActions, wanted, &ActionName::name);
  if (action == kActions.end()) return std::unexpected("no such request");
  Request request{action->action};
  if (!json.contains("signal")) return request;
  const auto signal = signal_number(text_of(json, "signal"));
  if (request.action != Action::kill || !signal) return std::unexpected("no such signal");
  request.signal = *signal;
  return request;
}

std::string to_line(const Request& request) {
  Json json;
  for (const ActionName& each : kActions)
    if (each.action == request.action) json["do"] = each.name;
  for (const SignalName& each : kSignals)
    if (request.action == Action::kill && each.number == request.signal) json["signal"] = each.name;
  return json_line(json) + "\n";
}

std::string accepted() { return "{\"ok\":true}\n"; }

std::string accepted(std::string_view run) {
  return R"({"ok":true,"run":)" + std::string(run) + "}\n";
}

std::string refused(std::string_view why) {
  return json_line(Json{{"ok", false}, {"error", std::string(why)}}) + "\n";
}

std::expected<Answer, std::string> parse_answer(std::string_view line) {
  const Json json = parse_object(line);
  const auto ok = json.is_object() ? json.find("ok") : json.end();
  if (ok == json.end() || !ok->is_boolean()) return std::unexpected("its answer makes no sense");
  if (!ok->get<bool>()) return std::unexpected(printable(text_of(json, "error")));
  Answer answer;
  const auto run = json.find("run");
  if (run == json.end()) return answer;
  if (!run->is_object()) return std::unexpected("its answer makes no sense");
  answer.run = json_line(*run);
  return answer;
}

std::optional<int> signal_number(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  const auto* const found = std::ranges::find(kSignals, name, &SignalName::name);
  return found == kSignals.end() ? std::nullopt : std::optional(found->number);
}

std::string signal_names() {
  std::string out;
  for (const SignalName& each : kSignals) out.append(out.empty() ? "" : ", ").append(each.name);
  return out;
}

}  // namespace sbx::supervise
