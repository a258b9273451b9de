// Proxies and their exceptions, as the variables of the environment have them.
#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "network/proxy.hpp"
#include "network/rule.hpp"

using namespace sbx::network;

namespace {

bool past(std::string_view no_proxy, std::string_view name, std::uint16_t port = 443) {
  return bypasses(Proxy{.host = "p", .port = 1, .bypass = parse_bypass(no_proxy)},
                  normal_name(name), port);
}
bool past_address(std::string_view no_proxy, std::string_view address) {
  return bypasses(Proxy{.host = "p", .port = 1, .bypass = parse_bypass(no_proxy)},
                  Endpoint{parse_address(address).value(), 443});
}

}  // namespace

TEST_CASE("a proxy's address") {
  const Proxy plain = parse_proxy("http://Proxy.example.org:3128/").value();
  CHECK(plain.host == "proxy.example.org");
  CHECK(plain.port == 3128);
  CHECK(plain.credentials.empty());
  CHECK(shown(plain) == "http://proxy.example.org:3128");
  CHECK(parse_proxy("proxy:3128").value().host == "proxy");
  CHECK(parse_proxy("http://proxy").value().port == 80);
  CHECK(parse_proxy("http://[2001:db8::1]:3128").value().host == "2001:db8::1");
  CHECK(shown(parse_proxy("http://[2001:db8::1]:3128").value()) == "http://[2001:db8::1]:3128");
}

TEST_CASE("credentials are decoded, and never shown") {
  const Proxy proxy = parse_proxy("HTTP://me:p%40ss%3a@proxy:8080").value();
  CHECK(proxy.credentials == "me:p@ss:");
  CHECK(proxy.host == "proxy");
  CHECK(shown(proxy) == "http://***@proxy:8080");
}

TEST_CASE("what is no proxy of ours is told without its password") {
  for (const std::string_view url :
       {"https://me:secret@proxy:443", "socks5://me:secret@proxy:1080", "socks5h://secret@proxy:1",
        "ftp://me:secret@proxy:21", "http://me:secret@", "http://me:secret@proxy:0",
        "http://me:secret@proxy:99999", "http://me:secret@proxy:", "http://me:secret%zz@proxy:80",
        "http://me:secret%0d%0aX@proxy:80", "http://me:secret@pro xy:80",
        "http://me:secret@proxy:80/path", "http://me:secret@[proxy]:80", "", "http://"}) {
    const auto read = parse_proxy(url);
    CHECK_MESSAGE(!read, url);
    if (!read) CHECK_FALSE(read.error().contains("secret"));
  }
}

TEST_CASE("what goes past the proxy") {
  CHECK(past("example.org", "example.org"));
  CHECK(past("example.org", "www.example.org"));
  CHECK_FALSE(past("example.org", "notexample.org"));
  CHECK(past("localhost, .Example.org", "www.example.org"));
  CHECK_FALSE(past(".example.org", "example.org"));
  CHECK(past("*.example.org", "www.example.org"));
  CHECK(past("*", "anything"));
  CHECK(past("example.org:443", "example.org"));
  CHECK_FALSE(past("example.org:80", "example.org"));
  CHECK_FALSE(past("", "example.org"));
  CHECK_FALSE(past(",,  ,", "example.org"));
  CHECK(past_address("10.0.0.0/8", "10.1.2.3"));
  CHECK(past_address("10.1.2.3", "10.1.2.3"));
  CHECK(past_address("fd00::/8,::1", "fd00::5"));
  CHECK_FALSE(past_address("10.0.0.0/8", "11.1.2.3"));
  CHECK_FALSE(past_address("example.org", "10.1.2.3"));
}
