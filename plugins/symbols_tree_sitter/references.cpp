#include "symbols_tree_sitter/references.h"

#include "symbols_tree_sitter/handles.h"
#include "symbols_tree_sitter/name.h"

#include <algorithm>

namespace quarry::symbols_tree_sitter {
namespace {

/// Types of leaves that hold text for people, not names.
bool is_prose(std::string_view type) {
  constexpr std::string_view kParts[] = {"comment", "string",   "char_", "character", "content",
                                         "heredoc", "fragment", "regex", "_text"};
  return type == "text" || type == "char" ||
         std::ranges::any_of(kParts, [&](std::string_view part) { return type.contains(part); });
}

/// The body of a macro, read once from its begin.
class MacroBody {
 public:
  explicit MacroBody(std::string_view body) : body_(body) {}

  /// True if `at` is outside of quotation marks and comments. Each call is for a later place.
  bool is_code(std::size_t at) {
    while (read_ < at) read_one();
    return read_ == at && quote_ == 0;
  }

 private:
  void read_one() {
    const char c = body_[read_];
    if (quote_ != 0) {
      if (c == '\\') ++read_;
      if (c == quote_) quote_ = 0;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
    } else if (body_.substr(read_, 2) == "/*") {
      read_ = std::min(body_.find("*/", read_ + 2), body_.size());
    } else if (body_.substr(read_, 2) == "//") {
      read_ = body_.size();
    }
    ++read_;
  }

  std::string_view body_;
  std::size_t read_ = 0;  ///< bytes; beyond a place that is passed as a part of something else
  char quote_ = 0;
};

/// The leaves of a tree beside ascending offsets.
class Walk {
 public:
  Walk(const std::vector<std::uint32_t>& offsets, TSNode root, std::string_view text,
       std::string_view name)
      : offsets_(offsets), cursor_(root), text_(text), name_(name) {}

  std::vector<std::uint32_t> run() {
    bool more = true;
    while (more && next_ < offsets_.size()) {
      const TSNode node = cursor_.node();
      begin_ = ts_node_start_byte(node);
      end_ = ts_node_end_byte(node);
      while (next_ < offsets_.size() && offsets_[next_] < begin_) ++next_;
      if (next_ == offsets_.size() || offsets_[next_] >= end_) {
        more = cursor_.next_after();
        continue;
      }
      if (ts_node_is_named(node) && is_name()) type_ = ts_node_type(node);
      if (cursor_.first_child()) continue;
      leaf(node);
      more = cursor_.next_after();
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_name() const {
    return begin_ == offsets_[next_] && end_ - begin_ == name_.size();
  }

  void leaf(TSNode node) {
    const std::string_view type = ts_node_type(node);
    const bool macro = type == "preproc_arg";
    MacroBody body(text_.substr(begin_, end_ - begin_));
    for (; next_ < offsets_.size() && offsets_[next_] < end_; ++next_) {
      const bool name = is_name() && !type_.empty() && !is_prose(type_);
      if (name || (macro && body.is_code(offsets_[next_] - begin_))) {
        found_.push_back(offsets_[next_]);
      }
    }
    type_ = {};
  }

  const std::vector<std::uint32_t>& offsets_;
  TreeCursor cursor_;
  std::string_view text_;
  std::string_view name_;
  std::size_t next_ = 0;  ///< of offsets_
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::string_view type_;  ///< the innermost named node whose text is the name
  std::vector<std::uint32_t> found_;
};

}  // namespace

std::vector<std::uint32_t> words(std::string_view text, std::string_view name) {
  std::vector<std::uint32_t> offsets;
  if (name.empty()) return offsets;
  for (auto at = text.find(name); at != text.npos; at = text.find(name, at + name.size())) {
    const auto end = at + name.size();
    const bool left = at > 0 && is_word(name.front()) && is_word(text[at - 1]);
    const bool right = end < text.size() && is_word(name.back()) && is_word(text[end]);
    if (!left && !right) offsets.push_back(static_cast<std::uint32_t>(at));
  }
  return offsets;
}

std::vector<std::uint32_t> names_among(const std::vector<std::uint32_t>& offsets, TSNode root,
                                       std::string_view text, std::string_view name) {
  return Walk(offsets, root, text, name).run();
}

}  // namespace quarry::symbols_tree_sitter
