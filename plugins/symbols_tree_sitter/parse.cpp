#include "symbols_tree_sitter/parse.h"

#include <algorithm>
#include <string>

namespace quarry::symbols_tree_sitter {
namespace {

using Steady = std::chrono::steady_clock;

/// Bytes that the parser reads between two checks of the call.
constexpr std::size_t kChunk = 4096;

/// The parser's input. Once the text is not wanted any more it ends, so that the parser returns:
/// its own cancellation releases a null token where a comment of several nodes ends (0.20.7).
class Input {
 public:
  Input(const Call& call, std::string_view text, std::chrono::milliseconds time)
      : call_(call), text_(text), end_(Steady::now() + time) {}

  [[nodiscard]] TSInput get() { return {this, read, TSInputEncodingUTF8}; }
  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  static const char* read(void* context, std::uint32_t at, TSPoint, std::uint32_t* size) {
    auto& self = *static_cast<Input*>(context);
    self.stopped_ = self.stopped_ || self.call_.over() || Steady::now() >= self.end_;
    const bool ended = self.stopped_ || at >= self.text_.size();
    *size = ended ? 0 : static_cast<std::uint32_t>(std::min(kChunk, self.text_.size() - at));
    return ended ? "" : self.text_.data() + at;
  }

  const Call& call_;
  std::string_view text_;
  Steady::time_point end_;
  bool stopped_ = false;
};

Failure exhausted(std::string message) {
  return {QUARRY_RESOURCE_EXHAUSTED,
          std::move(message),
          "Search its text instead, or split the file.",
          {}};
}

}  // namespace

Outcome<Tree> parse(const Call& call, const TSLanguage* grammar, std::string_view text,
                    const Limits& limits) {
  if (text.size() > limits.text) {
    return exhausted("The file has " + std::to_string(text.size()) +
                     " bytes; definitions are read from files of up to " +
                     std::to_string(limits.text));
  }
  const Parser parser(ts_parser_new());
  if (!ts_parser_set_language(parser.get(), grammar)) {
    return Failure{QUARRY_INTERNAL, "The grammar is of another version than the parser", {}, {}};
  }
  Input input(call, text, limits.time);
  Tree tree(ts_parser_parse(parser.get(), nullptr, input.get()));
  if (call.over()) return call.why();
  if (tree == nullptr || input.stopped()) {
    return exhausted("Parsing the file took more than " + std::to_string(limits.time.count()) +
                     " ms");
  }
  return tree;
}

}  // namespace quarry::symbols_tree_sitter
