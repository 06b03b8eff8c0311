#pragma once

#include "cli/verb.h"

#include <memory>
#include <string>
#include <variant>

namespace quarry::cli {

/// A parsed command line, syntax checked: the verb that it names, with its options stored.
struct Command {
  std::unique_ptr<CommonOptions> common;  ///< not null
  Verb verb;                              ///< with run()
};

/// A text to print instead of running a verb: help (exit 0) or a usage error (exit 2).
struct Usage {
  std::string text;
  int exit_code;
};

/// The words with the options of every verb, --server and --json, where they stand before the verb,
/// as in "quarry -c FILE serve", behind all others, or before "--".
std::vector<const char*> with_verb_first(int argc, const char* const* argv);

/// The options of every verb among these words, which tell where the configuration is; none if one
/// of them is mistaken, which parse_command_line() reports.
CommonOptions common_options_in(int argc, const char* const* argv);

/// Reads the command line of a program with the verbs of `make_verbs`. `types`: see all_verbs().
std::variant<Command, Usage> parse_command_line(int argc, const char* const* argv,
                                                const std::vector<OfferedType>& types = {},
                                                MakeVerbs make_verbs = all_verbs);

}  // namespace quarry::cli
