#include "conformance/command.h"

#include "base/file.h"
#include "plugins/compose.h"

#include <charconv>
#include <string_view>

namespace quarry::conformance {
namespace {

using plugins::compose;

Error wrong(std::string_view option, std::string_view why, std::string_view hint) {
  return {Code::kInvalidArgument, compose("{} {}", option, why), std::string(hint)};
}

/// Replaces `number` by that of `text`, if there is one.
Status read_number(std::string_view option, const std::string& text, std::uint64_t least,
                   std::uint64_t most, std::uint64_t& number) {
  if (text.empty()) return {};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure == std::errc() && end == text.data() + text.size() && number >= least &&
      number <= most) {
    return {};
  }
  return wrong(option, compose("is \"{}\"", text),
               compose("name a whole number from {} to {}", least, most));
}

Status read_numbers(const Command& command, Options& options) {
  constexpr std::uint64_t kHour = 3'600'000;
  constexpr std::uint64_t kMostMemory = 1u << 20;
  auto limit = static_cast<std::uint64_t>(options.limit.count());
  std::uint64_t memory = options.memory >> 20;
  if (auto read = read_number("--seed", command.seed, 0, INT64_MAX, options.seed); !read) {
    return read;
  }
  if (auto read = read_number("--limit", command.limit, 1, kHour, limit); !read) return read;
  if (auto read = read_number("--memory", command.memory, 1, kMostMemory, memory); !read) {
    return read;
  }
  options.limit = std::chrono::milliseconds(limit);
  options.memory = memory << 20;
  return {};
}

Result<Json> read_object(std::string_view option, std::string_view text) {
  auto json = parse_json(text);
  if (!json) return wrong(option, "is not JSON: " + json.error().message, "name a JSON object");
  if (!json->is_object()) return wrong(option, "is not a JSON object", "name a JSON object");
  return json;
}

}  // namespace

Result<Options> options_of(const Command& command) {
  Options options{.path = command.plugin, .load = {}, .checks = command.checks};
  if (auto read = read_numbers(command, options); !read) return std::move(read.error());
  if (!command.resource.empty()) {
    auto resource = read_object("--resource", command.resource);
    if (!resource) return std::move(resource.error());
    options.resource = std::move(*resource);
  }
  if (!command.configuration.empty()) {
    const auto text = read_file(command.configuration);
    if (!text) return Error(text.error()).in("--configuration");
    auto configuration = read_object("--configuration", *text);
    if (!configuration) return std::move(configuration.error());
    options.configuration = std::move(*configuration);
  }
  return options;
}

Result<Report> run(const Command& command, const plugins::LoadCheck& load) {
  auto options = options_of(command);
  if (!options) return std::move(options.error());
  options->load = load;
  auto report = run(*options);
  if (!report || command.junit.empty()) return report;
  if (auto written = write_file_atomically(command.junit, report->junit()); !written) {
    return std::move(written.error()).in("--junit");
  }
  return report;
}

}  // namespace quarry::conformance
