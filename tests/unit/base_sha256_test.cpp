// SHA-256 against the vectors of FIPS 180-4 and NIST, and the two implementations against each
// other.
#include "base/sha256.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

using sbx::is_sha256_hex;
using sbx::Sha256;
using sbx::sha256_hex;

TEST_CASE("SHA-256 gives the published digests") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a digest is known by its form") {
  const std::string digest = sha256_hex("abc");
  CHECK(is_sha256_hex(digest));
  for (const char other : {'A', 'g', '/', ':', '`', '-', ' ', '\n', '\0'}) {
    std::string wrong = digest;
    wrong.back() = other;
    CHECK_FALSE(is_sha256_hex(wrong));
  }
  CHECK_FALSE(is_sha256_hex(""));
  CHECK_FALSE(is_sha256_hex(digest.substr(1)));
  CHECK_FALSE(is_sha256_hex(digest + "0"));
}

TEST_CASE("bytes may come in pieces of any size") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  const std::string whole = sha256_hex(text);
  for (const std::size_t piece : {1U, 3U, 55U, 56U, 63U, 64U, 65U, 127U, 128U, 999U}) {
    Sha256 hash;
    for (std::size_t at = 0; at < text.size(); at += piece)
      hash.put(std::string_view(text).substr(at, piece));
    CHECK(hash.hex() == whole);
    CHECK(hash.hex() == whole);
  }
}

TEST_CASE("the CPU's instructions and the portable code agree") {
  const auto fast = sbx::detail::sha256_blocks_accelerated();
  if (fast == nullptr) {
    MESSAGE("this CPU has no SHA instructions; only the portable code was tested");
    return;
  }
  std::string data(64 * 17, '\0');
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>(i * i + 13 * i);
  std::array<std::uint32_t, 8> a{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint32_t, 8> b = a;
  const auto* bytes = reinterpret_cast<const unsigned char*>(data.data());
  sbx::detail::sha256_blocks_portable(a.data(), bytes, 17);
  fast(b.data(), bytes, 17);
  CHECK(a == b);
}
