#include "corpus/query/inline_quotations.h"

#include "base/text.h"
#include "corpus/query/bare_numbers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostQuotations = 16;
constexpr std::size_t kMostQuotedBytes = 4096;

/// A quotation with its marks in a line.
struct Marked {
  std::size_t begin;  ///< of the opening mark
  std::size_t end;    ///< after the closing mark
  std::string_view text;
  QuotationKind kind;
};

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Text between backquotes; as many close as open.
std::optional<Marked> code_at(std::string_view line, std::size_t at) {
  const std::size_t inner = std::min(line.find_first_not_of('`', at), line.size());
  const std::string_view mark = line.substr(at, inner - at);
  line = line.substr(0, inner + kMostQuotedBytes);
  for (std::size_t close = inner; (close = line.find(mark, close)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_not_of('`', close), line.size());
    if (end - close == mark.size()) {
      return Marked{at, end, trim(line.substr(inner, close - inner)), QuotationKind::kCode};
    }
    close = end;
  }
  return std::nullopt;
}

/// Text between quotation marks that do not stand within a word.
std::optional<Marked> prose_at(std::string_view line, std::size_t at, std::string_view open,
                               std::string_view close) {
  if (at > 0 && is_alphanumeric(line[at - 1])) return std::nullopt;  // 12" or a"b
  const std::size_t inner = at + open.size();
  const std::size_t found = line.substr(0, inner + kMostQuotedBytes).find(close, inner);
  if (found == std::string_view::npos) return std::nullopt;
  return Marked{at, found + close.size(), trim(line.substr(inner, found - inner)),
                QuotationKind::kProse};
}

std::optional<Marked> marked_at(std::string_view line, std::size_t at) {
  if (line[at] == '`') return code_at(line, at);
  if (line[at] == '"') return prose_at(line, at, "\"", "\"");
  if (line.substr(at).starts_with("“")) return prose_at(line, at, "“", "”");
  return std::nullopt;
}

/// A line's quotations, and the beginning of its last sentence that has any text.
class Sentences {
 public:
  explicit Sentences(std::string_view line) : line_(line) {
    for (std::size_t at = 0; at < line.size();) {
      if (auto marked = marked_at(line, at)) {
        at = marked->end;
        set_last();
        if (!marked->text.empty()) quotations_.push_back(*marked);
        continue;
      }
      take(at);
      // An unpaired run of backquotes is passed as a whole, or time would not be linear.
      at = line[at] == '`' ? std::min(line.find_first_not_of('`', at), line.size()) : at + 1;
    }
  }

  /// Those of the last sentence.
  [[nodiscard]] std::vector<Marked> last_sentence() const {
    std::vector<Marked> out;
    std::ranges::copy_if(quotations_, std::back_inserter(out),
                         [this](const Marked& marked) { return marked.begin >= last_; });
    return out;
  }

  /// The last one of the sentence before, if that is not the line's first or `first_too`.
  [[nodiscard]] std::optional<Marked> sentence_before(bool first_too) const {
    if (last_ == 0 || (before_ == 0 && !first_too)) return std::nullopt;
    for (auto at = quotations_.rbegin(); at != quotations_.rend(); ++at) {
      if (at->begin < last_) {
        return at->begin >= before_ ? std::optional(*at) : std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// The last sentence, with blanks in the place of its quotations.
  [[nodiscard]] std::string last_words() const {
    std::string out(line_.substr(last_));
    for (const Marked& one : quotations_) {
      if (one.begin < last_) continue;
      std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(one.begin - last_), one.end - one.begin,
                  '`');
    }
    return out;
  }

 private:
  void take(std::size_t at) {
    const bool ends = std::string_view(".!?").contains(line_[at]) && at + 1 < line_.size() &&
                      (line_[at + 1] == ' ' || line_[at + 1] == '\t');
    if (ends) {
      begin_ = at + 1;
    } else if (!is_punctuation(line_.substr(at, 1))) {
      set_last();
    }
  }

  void set_last() {
    if (last_ != begin_) before_ = last_;
    last_ = begin_;
  }

  std::string_view line_;
  std::size_t begin_ = 0;   ///< of the sentence at the current position
  std::size_t last_ = 0;    ///< of the last sentence with text
  std::size_t before_ = 0;  ///< of the sentence with text before that; equal to last_ if none
  std::vector<Marked> quotations_;
};

/// True for what may be between a quotation and the citation that it is adjacent to.
bool is_link(std::string_view text) {
  constexpr std::array<std::string_view, 7> kPrepositions = {"in",  "at", "from", "see",
                                                             "per", "of", "on"};
  if (is_punctuation(text)) return true;
  const std::string_view marks = " \t.,:;()*_-";
  const std::size_t first = text.find_first_not_of(marks);
  const std::size_t last = text.find_last_not_of(marks);
  return std::ranges::find(kPrepositions, text.substr(first, last - first + 1)) !=
         kPrepositions.end();
}

/// True for a name as programs have them: a value, an expression or a command is none.
bool is_program_name(std::string_view code) {
  if (code.ends_with("()")) code.remove_suffix(2);
  if (code.empty() || (code[0] >= '0' && code[0] <= '9')) return false;
  return std::ranges::all_of(code, [](char c) {
    return is_alphanumeric(c) || std::string_view("_.:/<>~$@#&*-").contains(c) ||
           static_cast<unsigned char>(c) >= 0x80;
  });
}

/// True for one or two plain words.
bool is_short(std::string_view prose) {
  constexpr std::size_t kMostWords = 2;
  const bool plain = std::ranges::all_of(prose, [](char c) {
    return (is_alphanumeric(c) && !(c >= '0' && c <= '9')) || c == ' ' || c == '-' || c == '\'' ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  std::size_t words = 0;
  for (const std::string_view word : split(prose, ' ')) words += word.empty() ? 0 : 1;
  return plain && words <= kMostWords;
}

InlineQuotation quotation_of(const Marked& marked, bool adjacent) {
  const bool name =
      marked.kind == QuotationKind::kCode ? is_program_name(marked.text) : is_short(marked.text);
  return {std::string(marked.text), marked.kind, name, adjacent};
}

/// The end of the sentence at the begin of `text`; nullopt if it does not end there.
std::optional<std::size_t> end_of_sentence(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    if (const auto marked = marked_at(text, at)) {
      at = marked->end;
      continue;
    }
    const bool at_end = at + 1 == text.size() || text[at + 1] == ' ';
    if (std::string_view(".!?").contains(text[at]) && at_end) return at;
    at = text[at] == '`' ? std::min(text.find_first_not_of('`', at), text.size()) : at + 1;
  }
  return std::nullopt;
}

/// The quotation in the rest of the citation's sentence. Where another citation follows in the
/// sentence, only one that is adjacent to this one.
std::optional<InlineQuotation> quotation_after(std::string_view after, bool another_follows) {
  const std::size_t first = std::min(after.find_first_of("`\""), after.find("“"));
  if (first == std::string_view::npos) return std::nullopt;
  const bool adjacent = is_punctuation(after.substr(0, first));
  if (!adjacent) {
    const auto end = end_of_sentence(after);
    if (end ? *end < first : another_follows) return std::nullopt;
  }
  const auto marked = marked_at(after, first);
  if (!marked || marked->text.empty()) return std::nullopt;
  return quotation_of(*marked, adjacent);
}

}  // namespace

bool is_punctuation(std::string_view text) {
  return text.find_first_not_of(" \t\r.,:;!?()*_-") == std::string_view::npos;
}

std::vector<InlineQuotation> find_inline_quotations(std::string_view before, std::string_view after,
                                                    LineNeighbours others) {
  std::vector<InlineQuotation> out;
  const Sentences sentences(before);
  const std::vector<Marked> quoted = sentences.last_sentence();
  const std::size_t skipped = quoted.size() - std::min(quoted.size(), kMostQuotations);
  for (std::size_t i = skipped; i < quoted.size(); ++i) {
    const bool last = i + 1 == quoted.size();
    out.push_back(quotation_of(quoted[i], last && is_link(before.substr(quoted[i].end))));
  }
  if (out.empty()) {
    if (auto one = quotation_after(after, others.after)) {
      out.push_back(std::move(*one));
    } else if (const auto marked = sentences.sentence_before(!others.before)) {
      out.push_back(quotation_of(*marked, false));
    }
  }
  if (std::string number = last_bare_number(sentences.last_words()); !number.empty()) {
    out.push_back({std::move(number), QuotationKind::kProse, false, false, true});
  }
  return out;
}

}  // namespace quarry::corpus
