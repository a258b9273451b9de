#include "artifacts/magic.hpp"

#include <magic.h>

#include <array>

namespace sbx::artifacts {
namespace {

/// Not the environment's MAGIC: who starts sbx is trusted, but a parser wants no choice of input.
constexpr std::array kDatabases{"/usr/share/misc/magic.mgc", "/usr/lib/file/magic.mgc",
                                "/usr/share/file/magic.mgc", "/usr/local/share/misc/magic.mgc"};

struct Bound {
  int which;
  std::size_t most;
};
/// How much work hostile bytes can make (magic_setparam(3)).
constexpr std::array kBounds{Bound{MAGIC_PARAM_BYTES_MAX, 256UL * 1024},
                             Bound{MAGIC_PARAM_INDIR_MAX, 8},
                             Bound{MAGIC_PARAM_NAME_MAX, 32},
                             Bound{MAGIC_PARAM_ELF_PHNUM_MAX, 128},
                             Bound{MAGIC_PARAM_ELF_SHNUM_MAX, 512},
                             Bound{MAGIC_PARAM_ELF_NOTES_MAX, 64},
                             Bound{MAGIC_PARAM_REGEX_MAX, 4096}};

}  // namespace

void Magic::Close::operator()(::magic_set* magic) const { ::magic_close(magic); }

bool Magic::load() {
  for (const char* const database : kDatabases) {
    // One that has failed to load is not good for another.
    magic_.reset(::magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS));
    if (magic_ == nullptr) return false;
    for (const Bound& bound : kBounds)
      (void)::magic_setparam(magic_.get(), bound.which, &bound.most);
    if (::magic_load(magic_.get(), database) == 0) return true;
  }
  return false;
}

std::string Magic::type_of(std::string_view head) const {
  const char* const type = ::magic_buffer(magic_.get(), head.data(), head.size());
  return type == nullptr ? "" : type;
}

}  // namespace sbx::artifacts
