// What a client asks, and who answers it.
#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "mcp/change_tools.hpp"
#include "mcp/files.hpp"
#include "mcp/server.hpp"
#include "supervise/redaction.hpp"

namespace sbx::mcp {
namespace {

constexpr std::size_t kMostWaiting = 256;
constexpr std::size_t kMostBytesWaiting = std::size_t{64} << 20U;
constexpr std::size_t kLargestBatch = 20;
constexpr std::size_t kLongestToken = 1024;  // it stands in every notification
constexpr std::size_t kMostBytesHeld = kMostBytesWaiting;

Json text_of(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? *found : Json("");
}

/// Of all texts in there, names of members too, and a little for each value.
std::size_t size_of(const Json& value) {
  if (value.is_string()) return sizeof value + value.get_ref<const std::string&>().size();
  std::size_t all = sizeof value;
  if (value.is_structured())
    for (const auto& [name, inner] : value.items()) all += name.size() + size_of(inner);
  return all;
}

bool is_token(const Json& token) { return token.is_string() || token.is_number_integer(); }

Json token_of(const Json& params) {
  const Json meta = params.value("_meta", Json());
  if (!meta.is_object()) return nullptr;
  const Json token = meta.value("progressToken", Json());
  return is_token(token) ? token : Json();
}

}  // namespace

void Server::hear(const LineReader::Line& line) {
  if (line.too_long)
    return refuse(nullptr, {Code::invalid_request, "the line is longer than 16 MiB"}, nullptr);
  if (trim(line.text).empty()) return;
  auto document = read_document(line.text);
  if (!document) return refuse(document.error().id, document.error().why, nullptr);
  hear_document(std::move(*document));
}

void Server::hear_document(Json document) {
  if (!document.is_array()) return hear_message(std::move(document), nullptr);
  if (!session_ || !has_batches(*session_))
    return refuse(nullptr, {Code::invalid_request, "this revision of the protocol has no batches"},
                  nullptr);
  if (document.empty() || document.size() > kLargestBatch)
    return refuse(
        nullptr,
        {Code::invalid_request, "a batch has 1 to " + std::to_string(kLargestBatch) + " messages"},
        nullptr);
  const auto batch = std::make_shared<Batch>();
  ++batch->open;  // until all of it was heard
  for (Json& message : document) hear_message(std::move(message), batch);
  close(batch);
}

void Server::hear_message(Json document, const std::shared_ptr<Batch>& batch) {
  auto message = read_message(std::move(document));
  if (auto* const request = std::get_if<Request>(&message)) {
    if (request->is_notification()) return notice(*request);
    if (batch) ++batch->open;
    return take(*request, batch);
  }
  const auto* const wrong = std::get_if<Malformed>(&message);
  if (wrong == nullptr) return;
  if (batch) ++batch->open;
  refuse(wrong->id, wrong->why, batch);
}

void Server::notice(const Request& notification) {
  if (notification.method != "notifications/cancelled") return;
  const Json id = notification.params.value("requestId", Json());
  if (id.is_string() || id.is_number_integer()) cancel(id);
}

void Server::cancel(const Json& id) {
  const auto found = std::ranges::find(calls_, id, [](const auto& call) { return call->id; });
  if (found == calls_.end()) return;
  if ((*found)->work && (*found)->lasts) return;  // too late: it is being done
  if ((*found)->child) return (*found)->child->cancel(supervise::now_ns());
  const auto call = std::move(*found);
  if (call->work) call->work->kill();
  calls_.erase(found);
  close(call->batch);
}

bool Server::is_open(const Json& id) const {
  return std::ranges::find(calls_, id, [](const auto& call) { return call->id; }) != calls_.end();
}

bool Server::has_room_for(std::size_t bytes) const {
  for (const auto& call : calls_) bytes += call->bytes;
  return calls_.size() < kMostWaiting && bytes <= kMostBytesWaiting;
}

void Server::take(const Request& request, const std::shared_ptr<Batch>& batch) {
  if (is_open(request.id))
    return refuse(request.id, {Code::invalid_request, "a request with this id is under way"},
                  batch);
  const auto named = revision_of(request.params);
  if (!named) return refuse(request.id, named.error(), batch);
  if (*named) return answer_method(request, **named, batch);
  if (request.method == "initialize") return initialize(request, batch);
  if (request.method == "ping") return reply(request.id, Json::object(), batch);
  if (!session_)
    return refuse(request.id,
                  {Code::invalid_request,
                   "the session has not begun: send `initialize`, or name the revision in `_meta`"},
                  batch);
  answer_method(request, *session_, batch);
}

void Server::initialize(const Request& request, const std::shared_ptr<Batch>& batch) {
  const Json asked = request.params.value("protocolVersion", Json());
  if (!asked.is_string())
    return refuse(request.id, {Code::invalid_params, "`protocolVersion` has to be a text"}, batch);
  if (session_)
    return refuse(request.id, {Code::invalid_request, "the session has begun already"}, batch);
  session_ = negotiate(asked.get<std::string>());
  reply(request.id,
        initialize_result(*session_, setup_.version,
                          instructions_text(offer_, setup_.workspace.at(), bounds_)),
        batch);
}

void Server::answer_method(const Request& request, Revision revision,
                           const std::shared_ptr<Batch>& batch) {
  const auto give = [&](Json result, bool lasting) {
    reply(request.id, stamp(revision, std::move(result), setup_.version, true, lasting), batch);
  };
  const bool modern = revision >= Revision::r2026_07_28;
  if (request.method == "server/discover" && modern)
    return give(discover_result(instructions_text(offer_, setup_.workspace.at(), bounds_)), true);
  if (request.method == "tools/list") {
    Json tools = Json::array();
    for (Json& tool : tool_list(offer_, bounds_))
      tools.push_back(tool_for(revision, std::move(tool)));
    return give({{"tools", std::move(tools)}}, true);
  }
  if (request.method == "tools/call") return call_tool(request, revision, batch);
  if (request.method == "resources/templates/list") return give(KeptFiles::templates(), true);
  if (request.method == "resources/list") {
    auto list = kept_.list(text_of(request.params, "cursor").get<std::string>());
    if (list) return give(std::move(*list), false);
    return refuse(request.id, {Code::invalid_params, "`cursor` is none of ours"}, batch);
  }
  if (request.method == "resources/read") {
    auto content = kept_.read(text_of(request.params, "uri").get<std::string>());
    if (content) return give(std::move(*content), true);
    if (modern && content.error().code == Code::resource_not_found)
      content.error().code = Code::invalid_params;
    return refuse(request.id, content.error(), batch);
  }
  refuse(request.id, {Code::method_not_found, "there is no method " + named(request.method)},
         batch);
}

bool Server::offers(const std::string& tool) const {
  return std::ranges::any_of(tool_list(offer_, bounds_),
                             [&tool](const Json& one) { return one["name"] == tool; });
}

void Server::call_tool(const Request& request, Revision revision,
                       const std::shared_ptr<Batch>& batch) {
  const auto name = text_of(request.params, "name").get<std::string>();
  Json arguments = request.params.value("arguments", Json::object());
  if (!offers(name))
    return refuse(request.id, {Code::invalid_params, "there is no tool " + named(name)}, batch);
  if (!arguments.is_object())
    return refuse(request.id, {Code::invalid_params, "`arguments` has to be an object"}, batch);
  Json token = token_of(request.params);
  if (token.is_string() && token.get_ref<const std::string&>().size() > kLongestToken)
    return refuse(request.id, {Code::invalid_params, "`progressToken` is longer than 1 KiB"},
                  batch);
  const auto give = [&](Answer answer) {
    Json result = call_result_for(revision, std::move(answer).to_json());
    reply(request.id, stamp(revision, std::move(result), setup_.version, false, false), batch);
  };
  auto call = std::make_unique<Call>();
  if (const auto runner = runner_of(name)) {
    auto order = read_order(*runner, arguments, setup_.profile);
    if (!order) return give(failure(order.error()));
    call->bytes = size_of(*order);
    call->order = std::move(*order);
    call->token = std::move(token);
  } else {
    queue_tool(name, std::move(arguments), *call);
  }
  if (!has_room_for(call->bytes))
    return give(failure("too many calls are under way; wait for one of them"));
  call->id = request.id;
  call->revision = revision;
  call->batch = batch;
  calls_.push_back(std::move(call));
}

void Server::queue_tool(const std::string& name, Json arguments, Call& call) {
  call.bytes = size_of(arguments);
  call.lasts = name == "write_file" || name == "apply" || name == "collect_artifacts";
  call.task = [this, name, arguments = std::move(arguments), &call] {
    return use_tool(name, arguments, call);
  };
}

Answer Server::use_tool(const std::string& name, const Json& arguments, const Call& call) {
  if (name == "read_file") return read_file(arguments, setup_.workspace, setup_.redactor);
  if (name == "write_file") return write_file(arguments, setup_.workspace, meanwhile_of(call));
  if (name == "list_files") return list_files(arguments, setup_.workspace);
  if (name == "diff") return diff(arguments, setup_.workspace);
  if (name == "apply") return apply(arguments, setup_.workspace);
  const auto run = setup_.new_id();
  return run ? kept_.collect(arguments, setup_.workspace, *run) : failure(run.error());
}

void Server::reply(const Json& id, Json result, const std::shared_ptr<Batch>& batch) {
  if (batch && held_ > kMostBytesHeld)
    return refuse(id,
                  {Code::internal_error,
                   "what this was to do is done, but its answer is dropped: too much waits already "
                   "for the rest of its batch"},
                  batch);
  // Whatever a command has written somewhere, and in whatever tool it comes back.
  if (setup_.redactor != nullptr) supervise::redact_strings(setup_.redactor, result);
  deliver(result_of(id, std::move(result)), batch);
}

void Server::refuse(const Json& id, Refusal why, const std::shared_ptr<Batch>& batch) {
  why.text = supervise::redacted(setup_.redactor, why.text);
  if (setup_.redactor != nullptr) supervise::redact_strings(setup_.redactor, why.data);
  Json message = error_of(id, why);
  if (id.is_null() && may_lack_id(session_.value_or(Revision::r2026_07_28))) message.erase("id");
  deliver(std::move(message), batch);
}

std::string Server::named(const std::string& word) const {
  return printable(supervise::redacted(setup_.redactor, word), 100);
}

void Server::deliver(Json message, const std::shared_ptr<Batch>& batch) {
  if (!batch) return client_.send(message);
  const std::size_t bytes = size_of(message);
  batch->bytes += bytes;
  held_ += bytes;
  batch->answers.push_back(std::move(message));
  close(batch);
}

void Server::close(const std::shared_ptr<Batch>& batch) {
  if (!batch || --batch->open != 0 || batch->answers.empty()) return;
  held_ -= batch->bytes;
  client_.send(batch->answers);
}

}  // namespace sbx::mcp
