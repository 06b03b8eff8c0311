#include "corpus/query/mentions.h"

#include "base/text.h"
#include "corpus/index/word_table.h"
#include "corpus/text/words.h"

#include <algorithm>
#include <set>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostMentions = 64;
constexpr std::size_t kLongestExtension = 5;
constexpr std::size_t kMostTrailingNames = 2;  // a class and its method after a module

constexpr double kNameOfLongPath = 0.7;  // a file in the root of the tree, named with other folders
constexpr double kSameFolder = 0.6;
constexpr double kSameName = 0.25;

constexpr std::string_view kSeparators = " \t\r\n()[]{}<>'\"`,;|=";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, is_letter);
}

/// `token` without ":12:34", "#L7" and the punctuation around it.
std::string_view without_place(std::string_view token) {
  token = token.substr(0, token.find("#L"));
  for (std::size_t at = token.find(':'); at != token.npos; at = token.find(':', at + 1)) {
    if (at + 1 == token.size() || is_digit(token[at + 1])) {
      token = token.substr(0, at);
      break;
    }
  }
  while (!token.empty() && std::string_view(".:?!*").contains(token.back())) {
    token.remove_suffix(1);
  }
  return token;
}

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, separator)) {
    if (!part.empty() && part != "." && part != "..") parts.push_back(to_lower(part));
  }
  return parts;
}

/// The extension, with its dot, of a name that looks like a file's.
std::string_view extension_of(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == name.npos || dot == 0 || name.size() - dot > kLongestExtension + 1) return {};
  const std::string_view extension = name.substr(dot);
  return has_letter(extension) && has_letter(name.substr(0, dot)) ? extension : std::string_view();
}

/// The path that `token` spells; no parts when it is none.
Mention file_mention(std::string_view token) {
  std::string path(token);
  std::ranges::replace(path, '\\', '/');
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  if (!has_letter(name)) return {};
  const bool has_extension = !extension_of(name).empty();
  if (!has_extension && !path.contains('/')) return {};
  Mention mention{.parts = parts_of(path, '/'), .term = {}};
  mention.term = has_extension ? kPathTerm + lower_word(name) : kPathTerm + join_stems(name);
  return mention;
}

/// The modules that a dotted name may mean: "a.b.c" itself, and "a.b", of which c may be a member.
std::vector<Mention> module_mentions(std::string_view token) {
  std::string dotted(token);
  for (std::size_t at; (at = dotted.find("::")) != dotted.npos;) dotted.replace(at, 2, ".");
  std::vector<std::string_view> names;
  for (const std::string_view name : split(dotted, '.')) {
    if (name.empty() || !(is_letter(name.front()) || name.front() == '_')) return {};
    names.push_back(name);
  }
  std::vector<Mention> mentions;
  for (std::size_t left = names.size(); left >= 2; --left) {
    if (names.size() - left > kMostTrailingNames) break;
    Mention mention{
        .parts = {}, .term = kPathTerm + join_stems(names[left - 1]), .is_module = true};
    for (std::size_t i = 0; i < left; ++i) mention.parts.push_back(to_lower(names[i]));
    mentions.push_back(std::move(mention));
  }
  return mentions;
}

std::size_t equal_from_end(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t equal = 0;
  while (equal < std::min(a.size(), b.size()) &&
         a[a.size() - 1 - equal] == b[b.size() - 1 - equal]) {
    ++equal;
  }
  return equal;
}

/// Collects mentions, each path once.
class MentionList {
 public:
  void add(Mention mention, PartKind place) {
    if (mention.parts.empty() || found_.size() == kMostMentions) return;
    if (!known_.insert(mention.parts).second) return;
    mention.place = place;
    found_.push_back(std::move(mention));
  }
  std::vector<Mention> take() { return std::move(found_); }

 private:
  std::vector<Mention> found_;
  std::set<std::vector<std::string>> known_;
};

void add_mentions(const QuestionPart& part, MentionList& list) {
  const std::string_view text = part.text;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kSeparators, at), text.size());
    const std::string_view token = without_place(text.substr(at, end - at));
    if (token.size() > 2 && token.size() < kMaxWordBytes * 4) {
      list.add(file_mention(token), part.kind);
      if (!token.contains('/')) {
        for (Mention& mention : module_mentions(token)) list.add(std::move(mention), part.kind);
      }
    }
    at = end + 1;
  }
}

}  // namespace

std::vector<Mention> find_mentions(const QuestionForm& form) {
  MentionList list;
  for (const QuestionPart& part : form.parts) add_mentions(part, list);
  return list.take();
}

double mention_match(const Mention& mention, std::string_view path) {
  const bool named_whole = mention.is_module || extension_of(mention.parts.back()).empty();
  if (named_whole) path = path.substr(0, path.size() - extension_of(path).size());
  const std::vector<std::string> parts = parts_of(path, '/');
  const std::size_t equal = equal_from_end(mention.parts, parts);
  if (equal == 0) return 0;
  if (equal == parts.size() && equal > 1) return 1;
  if (mention.is_module) return equal >= 2 && equal == mention.parts.size() ? 1 : 0;
  if (equal == mention.parts.size()) return 1;
  if (named_whole) return 0;
  if (equal == parts.size()) return kNameOfLongPath;
  return equal > 1 ? kSameFolder : kSameName;
}

}  // namespace quarry::corpus
