// --why host:NAME:PORT
#include <charconv>
#include <cstdint>
#include <string>

#include "base/text.hpp"
#include "plan/why_parts.hpp"

namespace sbx::plan {
namespace {

struct Place {
  std::string_view host;
  std::string_view port;
};

/// "name:443", "10.0.0.1:80", "[::1]:443".
Result<Place> read_place(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  Place place{text.substr(0, colon), colon == std::string_view::npos ? "" : text.substr(colon + 1)};
  std::uint16_t number = 0;
  const auto read =
      std::from_chars(place.port.data(), place.port.data() + place.port.size(), number);
  const bool bracketed = place.host.starts_with('[') && place.host.ends_with(']');
  if (place.host.empty() || read.ec != std::errc{} ||
      read.ptr != place.port.data() + place.port.size() || number == 0 ||
      (place.host.contains(':') && !bracketed))
    return bad_question(quote(text) + " is no host with a port",
                        "ask as in host:example.org:443 or host:[2001:db8::1]:443");
  if (bracketed) place.host = place.host.substr(1, place.host.size() - 2);
  return place;
}

bool is_loopback(std::string_view host) {
  return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
         host.starts_with("127.");
}

}  // namespace

Result<Answer> why_host(const Asked& asked, std::string_view text) {
  const Place place = SBX_TRY(read_place(text));
  Answer answer = asked.decided_by("network");
  if (asked.plan.network == profile::NetworkMode::host) {
    answer.verdict = Verdict::allowed;
    answer.what = "the command uses the host's own network, and reaches what the host reaches";
    answer.because = "network: host";
    return answer;
  }
  if (asked.plan.seccomp.shared_host.shared) {
    answer.what = "the call fails with ENETUNREACH, and names are not resolved";
    answer.because = seccomp::shared_host_reason(asked.plan.seccomp.shared_host, "socket");
    answer.allow_with = "network: host";
    return answer;
  }
  answer.because = "network: none, a network namespace with nothing but a loopback interface";
  if (is_loopback(place.host)) {
    answer.verdict = Verdict::partly;
    answer.what = "this is the sandbox's own loopback: only programs inside answer there";
    answer.hint = "for a service on the host's loopback: network: host";
    return answer;
  }
  answer.what = "there is no route (ENETUNREACH), and names are not resolved";
  answer.allow_with = "network: host";
  return answer;
}

}  // namespace sbx::plan
