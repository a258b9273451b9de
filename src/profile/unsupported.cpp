// What the grammar has and this version of sbx cannot do: told before anything starts, never
// ignored.
#include <array>

#include "profile/load.hpp"

namespace sbx::profile {
namespace {

class Refusals {
 public:
  explicit Refusals(const Profile& profile) : profile_(profile) {}

  void add(std::string_view key, std::string what, std::string hint) {
    const auto found = profile_.origins.find(std::string(key));
    out_.push_back({.kind = ErrorKind::profile,
                    .what = std::move(what) + " is not supported in this version of sbx",
                    .where = found == profile_.origins.end() ? "" : found->second.to_string(),
                    .hint = std::move(hint)});
  }
  [[nodiscard]] Problems take() { return std::move(out_); }

 private:
  const Profile& profile_;
  Problems out_;
};

}  // namespace

Problems unsupported(const Profile& profile) {
  Refusals refusals(profile);
  for (std::size_t i = 0; i < profile.devices.size(); ++i) {
    if (profile.devices[i] != "gpu") continue;
    refusals.add("devices[" + std::to_string(i) + ']', "the device group `gpu`",
                 "name the nodes that the program needs, such as dri/renderD128");
  }
  return refusals.take();
}

}  // namespace sbx::profile
