#include "corpus/tools/page_cursor.h"

#include "base/hash.h"
#include "base/text.h"

#include <charconv>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::corpus {
namespace {

constexpr std::string_view kFormat = "c1";
constexpr std::size_t kDigest = 12;  // hexadecimal digits
constexpr std::string_view kAgain = "Call again without cursor.";

std::string text_digest(std::string_view text) {
  return sha256_hex(text).substr(0, kDigest);
}

std::string arguments_digest(std::string_view tool, Json arguments) {
  for (const char* name : {"cursor", "limit", "maxTokens"}) arguments.erase(name);
  std::erase_if(arguments.get_ref<Json::object_t&>(),
                [](const auto& member) { return member.second.is_null(); });
  return text_digest(std::string(tool) + '\n' + to_text(arguments));
}

std::string versions_digest(const Retrieval& retrieval) {
  std::string text;
  for (std::size_t i = 0; i < retrieval.facts.size(); ++i) {
    text += retrieval.collection.sources()[i].name + '\n' + retrieval.facts[i].version + '\n';
  }
  return text_digest(text);
}

Error malformed() {
  return {Code::kInvalidArgument, "is not a cursor of this server, or was changed",
          std::string(kAgain)};
}

}  // namespace

PageCursor::PageCursor(std::string_view tool, const Json& arguments, const Retrieval& retrieval)
    : arguments_(arguments_digest(tool, arguments)), versions_(versions_digest(retrieval)) {}

std::string PageCursor::at(std::uint32_t position) const {
  const std::string text =
      std::string(kFormat) + '.' + std::to_string(position) + '.' + arguments_ + '.' + versions_;
  return text + '.' + text_digest(text);
}

Result<std::uint32_t> PageCursor::position_of(std::string_view cursor) const {
  if (cursor.empty()) return 0;
  const std::vector<std::string_view> parts = split(cursor, '.');
  if (parts.size() != 5 || parts[0] != kFormat) return malformed();
  const std::string_view content = cursor.substr(0, cursor.size() - parts[4].size() - 1);
  if (text_digest(content) != parts[4]) return malformed();
  std::uint32_t position = 0;
  const char* const end = parts[1].data() + parts[1].size();
  const auto read = std::from_chars(parts[1].data(), end, position);
  if (read.ec != std::errc() || read.ptr != end || position > kMostPosition) return malformed();
  if (parts[2] != arguments_) {
    return Error{Code::kInvalidArgument, "belongs to a call with other arguments",
                 "Repeat the arguments of that call; only limit and maxTokens may differ."};
  }
  if (parts[3] != versions_) {
    return Error{Code::kInvalidArgument,
                 "was made for other versions of the resources, which have changed since",
                 std::string(kAgain)};
  }
  return position;
}

}  // namespace quarry::corpus
