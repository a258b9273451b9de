// The four kinds of question of why.hpp, each in a file of its own.
#pragma once

#include <string_view>

#include "plan/why.hpp"

namespace sbx::plan {

/// Whom a question is about.
struct Asked {
  const profile::Profile& profile;
  const Plan& plan;
  const Host& host;

  /// An answer that `key` decides: its place is filled in. No key: sbx itself does.
  [[nodiscard]] Answer decided_by(std::string_view key) const;
  /// It is known not to be there.
  [[nodiscard]] bool lacks(const std::string& path, bool follow) const {
    return host.lacks && host.lacks(path, follow);
  }
};

Result<Answer> why_path(const Asked& asked, std::string_view path);      ///< why_path.cpp
Result<Answer> why_call(const Asked& asked, std::string_view name);      ///< why_call.cpp
Result<Answer> why_variable(const Asked& asked, std::string_view name);  ///< why_variable.cpp
Result<Answer> why_host(const Asked& asked, std::string_view host);      ///< why_host.cpp

/// A question that cannot be answered.
std::unexpected<Error> bad_question(std::string what, std::string hint);

/// `text`, which has to be UTF-8, as a value in a flow mapping of a profile: bare when that is
/// safe, else quoted, with a literal ${ written as $${.
std::string yaml_word(std::string_view text);

}  // namespace sbx::plan
