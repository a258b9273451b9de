// One connection of the payload's to the DNS inside: queries with their lengths before them,
// answered as they resolve, in any order (RFC 7766). Bounded in memory and in idle time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "egress/loop.hpp"
#include "egress/name_server.hpp"

namespace sbx::egress {

class DnsStream final : public Watcher {
 public:
  /// The stream is over, and to be buried.
  using Ended = std::function<void(DnsStream&)>;

  DnsStream(Loop& loop, NameServer& server, os::UniqueFd socket, Ended ended);
  ~DnsStream() override;
  SysResult<void> start();

  [[nodiscard]] bool idle() const { return waiting_ == 0 && out_.empty(); }
  [[nodiscard]] Nanos since() const { return since_; }  ///< of the last whole query or answer

 private:
  void ready(int fd, std::uint32_t events) override;
  bool read();
  void serve();
  [[nodiscard]] bool has_query() const;
  void take_query();
  void take(const std::string& message);
  bool write();
  void watch();
  void touch();
  [[nodiscard]] bool full() const;
  [[nodiscard]] bool over() const;

  Loop& loop_;
  NameServer& server_;
  os::UniqueFd socket_;
  Ended ended_;
  Alarm patience_;
  Nanos since_ = 0;
  std::string in_{};
  std::string out_{};
  std::size_t waiting_ = 0;
  bool read_all_ = false;
  bool broken_ = false;
  bool busy_ = false;  ///< in ready(), which writes and ends itself
  std::uint32_t watched_ = 0;
  std::shared_ptr<DnsStream*> self_ = std::make_shared<DnsStream*>(this);
};

}  // namespace sbx::egress
