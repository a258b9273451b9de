// libmagic (only magic.cpp includes it): what kind of content bytes are.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct magic_set;

namespace sbx::artifacts {

class Magic {
 public:
  /// Loads the host's compiled database. False: there is none that this libmagic can read.
  bool load();
  /// "image/png". Empty: it has no answer.
  [[nodiscard]] std::string type_of(std::string_view head) const;

 private:
  struct Close {
    void operator()(::magic_set* magic) const;
  };
  std::unique_ptr<::magic_set, Close> magic_;
};

}  // namespace sbx::artifacts
