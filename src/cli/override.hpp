// Turns a flag's argument into the YAML that a profile would have had in its place. Pure, but for
// the one that is a file. Whatever
// the argument holds, the YAML stays one value: quotes, brackets and line breaks cannot add a
// second key.
#pragma once

#include <string>
#include <string_view>

#include "cli/options.hpp"

namespace sbx::cli {

/// `text` as a double-quoted YAML scalar.
std::string yaml_quote(std::string_view text);

/// What `option` makes of `text`, as the table of options has it. An error where that would be no
/// text of a profile's, which is UTF-8.
Result<profile::Override> override_of(const OptionSpec& option, std::string_view text,
                                      std::string_view cwd);

// Each of these is the `to_override` of one or more rows of the table of options. Errors have the
// kind `usage`, the flag in `where`, and show the form that is expected.

/// A number, a quantity or a word: plain when it can only be that, quoted otherwise.
Result<profile::Override> plain_value(const OptionSpec&, std::string_view, std::string_view cwd);
/// Text, whatever it looks like.
Result<profile::Override> text_value(const OptionSpec&, std::string_view, std::string_view cwd);
/// One more entry of a list of texts.
Result<profile::Override> list_entry(const OptionSpec&, std::string_view, std::string_view cwd);
/// The same, where a comma can be in none.
Result<profile::Override> single_entry(const OptionSpec&, std::string_view, std::string_view cwd);
/// NAME=VALUE: one more entry of a map of plain values.
Result<profile::Override> map_entry(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> root_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> workspace_value(const OptionSpec&, std::string_view,
                                          std::string_view cwd);
Result<profile::Override> bind_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> copy_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> tmpfs_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> file_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> env_value(const OptionSpec&, std::string_view, std::string_view cwd);
/// What the file at this path has, of at most 1 MiB; errors have its line in `where`.
/// (env_file.cpp)
Result<profile::Override> env_file_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> secret_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> user_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> tty_value(const OptionSpec&, std::string_view, std::string_view cwd);
Result<profile::Override> set_value(const OptionSpec&, std::string_view, std::string_view cwd);

}  // namespace sbx::cli
