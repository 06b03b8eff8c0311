#include "corpus/index/symbol_index.h"
#include "corpus/text/word_mask.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace quarry::corpus {
namespace {

/// Texts with their numbers, in ascending order.
template <class Order>
class TextNumbers {
 public:
  void add(const std::string& text) { numbers_.try_emplace(text); }
  void number() {
    std::uint32_t next = 0;
    for (auto& [text, number] : numbers_) number = next++;
  }
  [[nodiscard]] std::uint32_t of(const std::string& text) const { return numbers_.at(text); }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

  void append_to(TableWriter& table) const {
    std::vector<std::uint32_t> starts{0};
    std::string bytes;
    for (const auto& [text, number] : numbers_) {
      bytes += text;
      starts.push_back(static_cast<std::uint32_t>(bytes.size()));
    }
    table.append(std::span<const std::uint32_t>(starts));
    table.append(std::span<const char>(bytes));
  }

 private:
  std::map<std::string, std::uint32_t, Order> numbers_;
};

struct NameOrder {
  bool operator()(const std::string& left, const std::string& right) const {
    return compare_names(left, right) < 0;
  }
};

/// The definitions in order of their names, and where those of each name begin.
struct ByName {
  std::vector<std::uint32_t> starts;
  std::vector<SymbolId> definitions;
};

ByName by_name(std::span<const SymbolRecord> records, std::size_t names) {
  ByName out{std::vector<std::uint32_t>(names + 1), std::vector<SymbolId>(records.size())};
  for (const SymbolRecord& record : records) ++out.starts[record.name + 1];
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<std::uint32_t> next = out.starts;
  for (SymbolId i = 0; i < records.size(); ++i) out.definitions[next[records[i].name]++] = i;
  return out;
}

/// The words of the scopes of one file, see SymbolRecord::scope_words and ScopeMatcher.
class ScopeWords {
 public:
  ScopeWords(const Segment& segment, FileId file, const std::vector<SymbolDefinition>& definitions)
      : segment_(segment),
        file_(file),
        definitions_(definitions),
        of_path_(words_mask(segment.path(file))) {
    for (const SymbolDefinition& one : definitions_) of_names_.push_back(words_mask(one.name));
  }

  WordMask of(std::size_t number) {
    WordMask words = of_path_;
    for (const std::size_t parent : parent_numbers_of(definitions_, number)) {
      words |= of_names_[parent];
    }
    const SymbolDefinition& one = definitions_[number];
    return words | words_mask(lines_.before(segment_, file_, one.line, one.name));
  }

 private:
  const Segment& segment_;
  FileId file_;
  const std::vector<SymbolDefinition>& definitions_;
  WordMask of_path_;
  std::vector<WordMask> of_names_;  // by definition
  LineBeginnings lines_;
};

}  // namespace

std::string SymbolIndex::bytes_of(const Segment& segment, std::span<const FileSymbols> files) {
  TextNumbers<NameOrder> names;
  TextNumbers<std::less<>> words;
  words.add("");
  for (const FileSymbols& file : files) {
    words.add(file.reader);
    words.add(file.reason);
    for (const SymbolDefinition& one : file.definitions) {
      names.add(one.name);
      words.add(one.kind);
    }
  }
  names.number();
  words.number();

  std::vector<SymbolRecord> records;
  std::vector<SymbolFileRecord> file_records;
  for (const FileSymbols& file : files) {
    file_records.push_back({static_cast<std::uint32_t>(records.size()),
                            static_cast<std::uint32_t>(file.state), words.of(file.reader),
                            words.of(file.reason)});
    const auto id = static_cast<FileId>(file_records.size() - 1);
    ScopeWords scopes(segment, id, file.definitions);
    for (std::size_t i = 0; i < file.definitions.size(); ++i) {
      const SymbolDefinition& one = file.definitions[i];
      records.push_back({names.of(one.name), one.line, one.first_line, one.last_line, one.parent,
                         words.of(one.kind), scopes.of(i)});
    }
  }
  file_records.push_back({static_cast<std::uint32_t>(records.size()), 0, 0, 0});
  const ByName sorted = by_name(records, names.size());

  TableWriter table(kSymbolTable);
  const SymbolShape shape = shape_of(segment);
  table.append(std::span(&shape, 1));
  names.append_to(table);
  table.append(std::span<const std::uint32_t>(sorted.starts));
  table.append(std::span<const SymbolId>(sorted.definitions));
  table.append(std::span<const SymbolFileRecord>(file_records));
  words.append_to(table);
  table.append(std::span<const SymbolRecord>(records));
  return std::move(table).finish();
}

}  // namespace quarry::corpus
