// The Model Context Protocol server of `sbx mcp`: one client, one session, one loop without
// threads, in which nothing takes long: what could is done by a child. Pure of policy: what may be
// asked for is in order.hpp, what the tools are in tool_table.hpp.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mcp/answer.hpp"
#include "mcp/client_line.hpp"
#include "mcp/kept_files.hpp"
#include "mcp/order.hpp"
#include "mcp/revision.hpp"
#include "mcp/run_child.hpp"
#include "mcp/tool_table.hpp"
#include "mcp/work_child.hpp"
#include "mcp/workspace.hpp"
#include "os/signals.hpp"

namespace sbx::mcp {

/// What the operator has fixed, and how this program runs itself.
struct Setup {
  os::SignalGate& gate;  ///< open
  profile::Profile profile;
  Workspace workspace;
  supervise::Redactor redactor;  ///< of the profile's secrets; null: there are none
  std::string version;           ///< of sbx
  std::vector<std::string> env;  ///< of the runs, "NAME=value"
  /// The command line of `sbx` for one run, up to `--`. Error: the profile is not any more what it
  /// was, or does not take these flags; in words for the model.
  std::function<Result<std::vector<std::string>>(const std::vector<std::string>& flags)> words;
  std::function<Result<std::string>()> new_id;
};

class Server {
 public:
  explicit Server(Setup setup);
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  Server(Server&&) = delete;
  Server& operator=(Server&&) = delete;
  ~Server() { stop_copying(); }

  /// Begins to copy the workspace, and tries which interpreters start. False: we are asked to end.
  /// Error: sbx itself cannot run anything here.
  Result<bool> prepare();
  /// Until the client is gone, or we are asked to end. No run of the session is left then. Error:
  /// there is no workspace, or it has ended for another reason of our own, such as too little
  /// memory; what it has changed can be kept all the same.
  Result<void> serve();
  /// Keeps what the profile wants to be kept of the session. Returns its name, or "".
  Result<std::string> keep_rest() {
    return has_workspace_ ? setup_.workspace.keep_rest() : std::string();
  }

 private:
  struct Batch {
    Json answers = Json::array();
    std::size_t open = 0;
    std::size_t bytes = 0;  ///< of the answers
  };
  struct Call {
    Json id{};
    Revision revision = Revision::r2025_11_25;
    std::shared_ptr<Batch> batch{};
    Json token{};  ///< of progress; null: nobody wants it
    std::uint64_t progress = 0;
    Order order{};                   ///< of a run that waits for its turn
    std::function<Answer()> task{};  ///< of a tool that is no run
    bool lasts = false;     ///< what it does is done to the end, and no run begins meanwhile
    std::size_t bytes = 0;  ///< of what was ordered, as it came
    std::unique_ptr<RunChild> child{};  ///< of a run that has begun
    supervise::Nanos began = 0;         ///< when it was about to
    std::unique_ptr<WorkChild> work{};  ///< makes its answer
  };

  // prepare.cpp: before anything can be done
  struct Trial;
  Result<void> begin_copying();
  Result<void> finish_copying();
  void stop_copying();
  Result<std::vector<Trial>> start_trials();
  Result<bool> wait_for(std::vector<Trial>& trials);

  // server.cpp: the loop
  Result<void> talk();
  void round(bool talks);
  void start_waiting();
  static void forget(const RunChild& child);
  void end_all();
  Result<std::unique_ptr<RunChild>> start(Order order, bool events);
  void tell_progress(Call& call, std::string_view text);

  // work.cpp: what is done to the workspace, one thing at a time
  [[nodiscard]] bool is_working() const;
  /// `patiently`: nothing is made for a client that is slow to read.
  void begin_work(bool patiently);
  void finish_work();
  Result<WorkChild> start_work(Call& call);
  [[nodiscard]] Answer answer_of(const Call& call);
  [[nodiscard]] Workspace::Meanwhile meanwhile_of(const Call& call) const;
  void settle(std::unique_ptr<Call> call, Json result);

  // dispatch.cpp: what is asked
  void hear(const LineReader::Line& line);
  void hear_document(Json document);
  void hear_message(Json message, const std::shared_ptr<Batch>& batch);
  void take(const Request& request, const std::shared_ptr<Batch>& batch);
  void notice(const Request& notification);
  void initialize(const Request& request, const std::shared_ptr<Batch>& batch);
  void answer_method(const Request& request, Revision revision,
                     const std::shared_ptr<Batch>& batch);
  void call_tool(const Request& request, Revision revision, const std::shared_ptr<Batch>& batch);
  void queue_tool(const std::string& name, Json arguments, Call& call);
  [[nodiscard]] Answer use_tool(const std::string& name, const Json& arguments, const Call& call);
  [[nodiscard]] bool offers(const std::string& tool) const;
  void cancel(const Json& id);
  [[nodiscard]] bool is_open(const Json& id) const;
  [[nodiscard]] bool has_room_for(std::size_t bytes) const;

  void reply(const Json& id, Json result, const std::shared_ptr<Batch>& batch);
  void refuse(const Json& id, Refusal why, const std::shared_ptr<Batch>& batch);
  /// A client's own word, for an answer.
  [[nodiscard]] std::string named(const std::string& word) const;
  void deliver(Json message, const std::shared_ptr<Batch>& batch);
  void close(const std::shared_ptr<Batch>& batch);

  Setup setup_;
  KeptFiles kept_;
  Offer offer_{};
  std::string bounds_;
  std::optional<Revision> session_{};  ///< after `initialize`
  ClientLine client_{};
  std::size_t held_ = 0;                ///< bytes of answers that wait for the rest of their batch
  bool has_workspace_ = false;          ///< until then calls wait
  std::optional<WorkChild> copying_{};  ///< makes it
  supervise::PollSet set_{};
  std::deque<std::unique_ptr<Call>> calls_{};  ///< in the order of their coming
};

}  // namespace sbx::mcp
