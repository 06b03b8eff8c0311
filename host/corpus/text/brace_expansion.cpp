#include "corpus/text/brace_expansion.h"

#include "corpus/text/character_class.h"

#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostTexts = 256;

using Texts = std::vector<std::string>;

/// An open brace: what comes before it, and its alternatives that have ended.
struct OpenBrace {
  Texts before;
  Texts alternatives;
};

/// Removes what no brace divides from the front of `text`: an escaped character, a class, or a
/// byte.
std::string_view take_bare(std::string_view& text) {
  std::string_view rest = text.substr(text.front() == '\\' && text.size() > 1 ? 2 : 1);
  if (text.front() == '[') {
    rest = text;
    if (!take_character_class(rest)) rest.remove_prefix(1);
  }
  const std::string_view taken = text.substr(0, text.size() - rest.size());
  text = rest;
  return taken;
}

/// Each of `before` with each of `after`; fewer if that would be too many.
Texts product(const Texts& before, const Texts& after) {
  Texts out;
  for (const std::string& begin : before) {
    for (const std::string& end : after) {
      if (out.size() > kMostTexts) return out;
      out.push_back(begin + end);
    }
  }
  return out;
}

/// Expands a pattern in one pass, since texts that are expanded again and again may take the square
/// of their size, for each of the results.
class Expansion {
 public:
  Result<Texts> run(std::string_view pattern) {
    while (!pattern.empty() && texts_.size() <= kMostTexts) take(pattern);
    if (texts_.size() > kMostTexts) {
      return Error{Code::kInvalidArgument,
                   "the braces of the pattern expand to more than 256 patterns",
                   "Use * in place of some of them."};
    }
    if (!open_.empty()) {
      return Error{Code::kInvalidArgument, "the pattern has a { without its }",
                   "Write \\{ for a brace that is meant literally."};
    }
    return std::move(texts_);
  }

 private:
  void take(std::string_view& pattern) {
    const char first = pattern.front();
    if (first == '{') {
      open_.push_back({std::exchange(texts_, {""}), {}});
    } else if (first == ',' && !open_.empty()) {
      end_alternative();
      texts_ = {""};
    } else if (first == '}' && !open_.empty()) {
      end_alternative();
      texts_ = product(open_.back().before, open_.back().alternatives);
      open_.pop_back();
    } else {
      const std::string_view taken = take_bare(pattern);
      for (std::string& text : texts_) text += taken;
      return;
    }
    pattern.remove_prefix(1);
  }

  void end_alternative() {
    Texts& alternatives = open_.back().alternatives;
    for (std::string& text : texts_) {
      if (alternatives.size() <= kMostTexts) alternatives.push_back(std::move(text));
    }
  }

  Texts texts_ = {""};  // of what follows the last open brace or comma
  std::vector<OpenBrace> open_;
};

}  // namespace

Result<std::vector<std::string>> expand_braces(std::string_view pattern) {
  if (pattern.size() > 4096) {
    return Error{Code::kInvalidArgument, "the pattern is longer than 4096 bytes"};
  }
  return Expansion().run(pattern);
}

}  // namespace quarry::corpus
