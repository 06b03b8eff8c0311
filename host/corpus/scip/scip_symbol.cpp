#include "corpus/scip/scip_symbol.h"

#include <cstddef>
#include <utility>

namespace quarry::corpus {
namespace {

/// Scheme, package manager, package name and version.
constexpr int kLeadingParts = 4;

bool is_simple(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '+' || c == '-' || c == '$';
}

/// Reads descriptors from the front of a text.
class DescriptorReader {
 public:
  explicit DescriptorReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] std::string_view rest() const { return rest_; }

  /// Skips a part of the text before the descriptors and the space after it. Two spaces are one of
  /// the part.
  bool skip_part() {
    for (std::size_t at = rest_.find(' '); at != std::string_view::npos;
         at = rest_.find(' ', at + 2)) {
      if (at + 1 < rest_.size() && rest_[at + 1] == ' ') continue;
      rest_.remove_prefix(at + 1);
      return true;
    }
    return false;
  }

  std::optional<std::pair<std::string, ScipSuffix>> take_descriptor() {
    if (take('(')) return bracketed(')', ScipSuffix::kParameter);
    if (take('[')) return bracketed(']', ScipSuffix::kTypeParameter);
    auto name = take_name();
    const auto suffix = take_suffix();
    if (!name || !suffix) return std::nullopt;
    return std::pair(std::move(*name), *suffix);
  }

 private:
  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<std::pair<std::string, ScipSuffix>> bracketed(char end, ScipSuffix suffix) {
    auto name = take_name();
    if (!name || !take(end)) return std::nullopt;
    return std::pair(std::move(*name), suffix);
  }

  std::optional<std::string> take_name() {
    if (take('`')) return take_escaped();
    std::size_t size = 0;
    while (size < rest_.size() && is_simple(rest_[size])) ++size;
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name.empty() ? std::nullopt : std::optional(std::move(name));
  }

  /// A name up to the closing backtick; two are one of the name.
  std::optional<std::string> take_escaped() {
    std::string name;
    while (!rest_.empty()) {
      if (take('`') && !rest_.starts_with('`')) return name;
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    return std::nullopt;
  }

  std::optional<ScipSuffix> take_suffix() {
    if (take('/')) return ScipSuffix::kNamespace;
    if (take('#')) return ScipSuffix::kType;
    if (take('.')) return ScipSuffix::kTerm;
    if (take(':')) return ScipSuffix::kMeta;
    if (take('!')) return ScipSuffix::kMacro;
    if (!take('(')) return std::nullopt;
    while (!rest_.empty() && is_simple(rest_.front())) rest_.remove_prefix(1);  // of overloads
    return take(')') && take('.') ? std::optional(ScipSuffix::kMethod) : std::nullopt;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<ScipSymbol> ScipSymbol::parse(std::string_view text) {
  if (text.starts_with("local ")) return std::nullopt;
  DescriptorReader reader(text);
  for (int i = 0; i < kLeadingParts; ++i) {
    if (!reader.skip_part()) return std::nullopt;
  }
  std::optional<ScipSymbol> symbol;
  while (!reader.rest().empty()) {
    const std::string_view enclosing = text.substr(0, text.size() - reader.rest().size());
    auto descriptor = reader.take_descriptor();
    if (!descriptor) return std::nullopt;
    const auto encloser = symbol ? std::optional(symbol->suffix) : std::nullopt;
    symbol = ScipSymbol{std::move(descriptor->first), descriptor->second, enclosing, encloser};
  }
  return symbol;
}

}  // namespace quarry::corpus
