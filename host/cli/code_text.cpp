#include "cli/code_text.h"

#include "base/printable.h"
#include "cli/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace quarry::cli {

/// What is coloured in a language. Lists are words between spaces.
struct CodeLanguage {
  std::string_view names;     ///< in a fence
  std::string_view keywords;  ///< empty: a line has one colour, by how it begins
  std::string_view comment;   ///< begins one that ends with its line
  std::string_view comment_begin;
  std::string_view comment_end;
  std::string_view quotes;  ///< characters that begin and end a text
};

namespace {

// Codes of SGR.
constexpr std::string_view kOtherCode = "36";
constexpr std::string_view kComment = "90";
constexpr std::string_view kText = "32";
constexpr std::string_view kNumber = "33";
constexpr std::string_view kKeyword = "35";
constexpr std::string_view kRemoved = "31";

constexpr std::size_t kLongestText = 1024;  // bytes that are looked through for its end

// Families share their keywords: one that another member has is rarely a name.
constexpr CodeLanguage kLanguages[] = {
    {" c h cc cpp c++ cxx hpp hh cs csharp c# java kotlin kt scala swift go golang rust rs js mjs "
     "javascript jsx ts typescript tsx php dart zig proto ",
     " abstract as async auto await bool boolean break byte case catch char class const constexpr "
     "continue default defer delete do double else enum export extends extern false final finally "
     "float fn for foreach fun func function go if impl implements import in inline instanceof int "
     "interface internal is let long match mod mut namespace new nil null nullptr number object "
     "operator override package private protected pub public range return self short sizeof static "
     "string struct super switch template this throw throws trait true try type typedef typename "
     "union unsafe unsigned use using var virtual void volatile when where while yield ",
     "//", "/*", "*/", "\"'`"},
    {" python py python3 ruby rb elixir r julia jl perl pl nim ",
     " and as assert async await begin break case class continue def del do elif else elsif end "
     "except False finally for from function global if import in is lambda match module my next "
     "nil None nonlocal not or pass raise require rescue return self sub then True try unless "
     "until use when while with yield ",
     "#", "", "", "\"'"},
    {" sh bash shell zsh fish console make makefile dockerfile cmake ",
     " case do done elif else esac export fi for function if in return set then until while "
     "endif endforeach endfunction foreach ",
     "#", "", "", "\"'"},
    {" json yaml yml toml ini ", " true false null ", "#", "", "", "\"'"},
    {" css scss less ", " ", "", "/*", "*/", "\"'"},
    {" lua ",
     " and break do else elseif end false for function if in nil not or repeat return then "
     "true until while ",
     "--", "--[[", "]]", "\"'"},
    {" sql ",
     " ALTER AND AS BY CREATE DELETE DESC DISTINCT DROP EXISTS FROM GROUP HAVING IN INDEX INNER "
     "INSERT INTO IS JOIN LEFT LIMIT NOT NULL ON OR ORDER PRIMARY SELECT SET TABLE UNION UPDATE "
     "VALUES WHERE WITH ",
     "--", "/*", "*/", "'"},
    {" diff patch ", "", "", "", "", ""},
};

bool lists_word(std::string_view list, std::string_view word) {
  return !word.empty() && list.contains(' ' + std::string(word) + ' ');
}

/// "python" of "python src/dates.py" and of "{.python}"; null if it is not known.
const CodeLanguage* language_of(std::string_view info) {
  info.remove_prefix(std::min(info.find_first_not_of(" \t{."), info.size()));
  std::string name(info.substr(0, info.find_first_of(" \t,}:")));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto* const found = std::ranges::find_if(
      kLanguages, [&](const CodeLanguage& one) { return lists_word(one.names, name); });
  return found == std::end(kLanguages) ? nullptr : found;
}

bool is_name_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string with_code(std::string_view code, std::string_view text) {
  return code.empty() || text.empty() ? std::string(text) : styled(code, text);
}

/// Bytes of the text in quotes at the begin of `rest`; 0 if it does not end in this line, as with
/// the apostrophe of a lifetime.
std::size_t quoted_size(std::string_view rest) {
  for (std::size_t at = 1; at < std::min(rest.size(), kLongestText); ++at) {
    if (rest[at] == '\\') {
      ++at;
    } else if (rest[at] == rest[0]) {
      return at + 1;
    }
  }
  return 0;
}

std::string_view code_of_word(std::string_view word, const CodeLanguage& language) {
  if (is_digit(word.front())) return kNumber;
  if (lists_word(language.keywords, word)) return kKeyword;
  return {};
}

std::string_view code_of_change(std::string_view line) {
  if (line.starts_with('+')) return kText;
  if (line.starts_with('-')) return kRemoved;
  return line.starts_with("@@") ? kOtherCode : std::string_view();
}

}  // namespace

CodeText::CodeText(std::string_view info, bool colour)
    : language_(language_of(info)), colour_(colour) {}

std::string CodeText::line(std::string_view line) {
  if (line.empty()) return {};
  const std::string text = printable_line(line);
  if (!colour_) return "  " + text;
  if (language_ == nullptr) return "  " + with_code(kOtherCode, text);
  if (language_->keywords.empty()) return "  " + with_code(code_of_change(text), text);
  return "  " + painted(text);
}

std::string CodeText::painted(std::string_view rest) {
  std::string out;
  char before = ' ';
  const auto take = [&](std::size_t bytes, std::string_view code) {
    before = rest[bytes - 1];
    out += with_code(code, rest.substr(0, bytes));
    rest.remove_prefix(bytes);
  };
  const auto take_comment = [&](std::string_view end, std::size_t from) {
    const std::size_t at = rest.find(end, from);
    comment_end_ = at == rest.npos ? end : std::string_view();
    take(at == rest.npos ? rest.size() : at + end.size(), kComment);
  };
  const auto begins = [&](std::string_view mark) {
    return !mark.empty() && rest.starts_with(mark);
  };
  if (!comment_end_.empty()) take_comment(comment_end_, 0);
  while (!rest.empty()) {
    const bool ends_word = before == ' ' || before == '\t';  // "a#b" has no comment
    if (begins(language_->comment_begin)) {
      take_comment(language_->comment_end, language_->comment_begin.size());
    } else if (begins(language_->comment) && (language_->comment != "#" || ends_word)) {
      take(rest.size(), kComment);
    } else if (language_->quotes.contains(rest.front())) {
      const std::size_t size = quoted_size(rest);
      take(std::max<std::size_t>(size, 1), size > 0 ? kText : std::string_view());
    } else if (is_name_byte(rest.front())) {
      const auto* const end = std::ranges::find_if_not(rest, is_name_byte);
      const auto size = static_cast<std::size_t>(end - rest.begin());
      take(size, code_of_word(rest.substr(0, size), *language_));
    } else {
      take(1, {});
    }
  }
  return out;
}

}  // namespace quarry::cli
