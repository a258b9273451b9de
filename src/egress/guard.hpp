// Looks at the first bytes of what the payload sends to a name, and lets pass what is meant for
// that name alone (`network.verify_name`): many names share an address, and who may reach one of
// them must not reach the others through it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/http_watch.hpp"

namespace sbx::egress {

class Guard {
 public:
  /// Port 443 has to begin with TLS and 80 to be HTTP; what looks like either on another port is
  /// held to the same, because a server of many names or a proxy would listen to it.
  Guard(std::string name, std::uint16_t port);

  /// The client's next bytes; appends to `out` those that may go on.
  void feed(std::string_view data, std::string& out);
  /// The client sends nothing more: what is too short to be anything passes.
  void ended(std::string& out);
  /// The server's first bytes, while waits().
  void answered(std::string_view start, std::string& out);

  [[nodiscard]] bool open() const { return kind_ == Kind::open; }  ///< everything passes
  [[nodiscard]] bool waits() const;  ///< not to be fed: the server's answer decides
  /// How much of that answer is wanted: fewer bytes only when there are no more.
  [[nodiscard]] std::size_t wanted() const;
  [[nodiscard]] bool refused() const { return refused_; }
  /// Bytes that are neither passed nor refused yet.
  [[nodiscard]] bool holds() const { return !held_.empty(); }
  /// "the HTTP request asks for evil.example.org"
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  enum class Kind {
    tls,
    tls_answer,  ///< a good ClientHello has passed; does the server ask for another?
    tls_again,   ///< it does
    http,
    unknown,
    line,  ///< the first, as it passes: no method that is registered
    open,
  };

  void judge(std::string& out);
  /// False: that cannot be said yet.
  bool judge_kind(std::string& out);
  void judge_tls(std::string& out);
  void judge_second_hello(std::string& out);
  void judge_http(std::string& out);
  void judge_line(std::string& out);
  void pass_all(std::string& out);
  void refuse(std::string problem);

  std::string name_;
  std::uint16_t port_;
  Kind kind_;
  bool refused_ = false;
  std::string held_{};
  std::string problem_{};
  protocol::FirstLine line_{};
  std::optional<protocol::HttpWatch> http_{};
};

}  // namespace sbx::egress
