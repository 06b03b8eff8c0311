#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace quarry::cli {

/// Pairs "name=value", in the order of the command line.
using NamedValues = std::vector<std::pair<std::string, std::string>>;

/// A setting of the configuration that an option is short for; the value is stored as a string.
struct SettingTarget {
  NamedValues* settings;
  const char* key;
};

/// Where an option stores its value; the type decides about the option's form. A bool is a flag
/// without a value, an optional<bool> a flag with an opposite ("--x,!--no-x"), a vector takes
/// several values.
using OptionTarget =
    std::variant<bool*, std::optional<bool>*, std::string*, std::optional<std::string>*,
                 std::optional<std::filesystem::path>*, std::optional<std::uint32_t>*,
                 std::vector<std::string>*, NamedValues*, SettingTarget>;

struct OptionRules {
  bool required = false;
  bool one_each = false;                   ///< of a vector: one value each time it is named
  char separator = '\0';                   ///< of a vector: also splits a value
  std::vector<std::string> one_of = {};    ///< permitted values; empty = any
  std::vector<const char*> excludes = {};  ///< names of options that may not be given too
  const char* needs = nullptr;             ///< name of an option that must be given too
  bool hidden = false;                     ///< accepted, but neither in help nor in completions
};

/// A row of a verb's help: an option ("-r,--resource") or a positional argument ("question").
struct Option {
  std::string names;
  const char* argument;  ///< shown for the value; empty = shown by type
  std::string help;
  OptionTarget target;  ///< outlives the parsing
  OptionRules rules = {};
};

/// The long names: "--sync", "--no-sync"; empty for a positional argument.
std::vector<std::string> long_names(const Option& option);

}  // namespace quarry::cli
