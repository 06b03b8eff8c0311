#pragma once

#include "base/error.h"
#include "corpus/index/symbol_analyser.h"
#include "corpus/index/symbol_files.h"
#include "corpus/index/symbol_format.h"
#include "corpus/segment/segment.h"
#include "corpus/segment/table_file.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::corpus {

/// Number of a definition within one index; those of a file follow each other, in the analyser's
/// order.
using SymbolId = std::uint32_t;

/// The definitions of a segment by name and by file. Mapped and verified as it is read, a
/// definition each time it is requested. Immutable; thread-safe.
class SymbolIndex {
 public:
  static constexpr const char* kFileName = "symbols";

  /// The bytes of the index of `segment`, in whose order `files` are.
  static std::string bytes_of(const Segment& segment, std::span<const FileSymbols> files);
  /// Opens an index; kInternal if it is damaged or of another segment.
  static Result<std::shared_ptr<const SymbolIndex>> open(const std::filesystem::path& file,
                                                         const Segment& segment);

  /// True if requested definitions were damaged, so that results are incomplete.
  [[nodiscard]] bool is_damaged() const { return table_.is_damaged(); }

  /// A range of names, which are in the order of their letters in lower case.
  struct NameRange {
    std::uint32_t begin;
    std::uint32_t end;
  };
  /// The names that are equal to `name` but for the case of ASCII letters.
  [[nodiscard]] NameRange spelled_as(std::string_view name) const;
  /// The names that begin with `prefix`, but for the case of ASCII letters.
  [[nodiscard]] NameRange starting_with(std::string_view prefix) const;
  [[nodiscard]] std::string_view name(std::uint32_t number) const;
  /// The definitions of a name, ascending.
  [[nodiscard]] CheckedArray<SymbolId> definitions_of(std::uint32_t name) const;

  [[nodiscard]] std::size_t definition_count() const { return by_name_.size(); }
  [[nodiscard]] FileId file_of(SymbolId definition) const;
  /// All but its file; nullopt if it is damaged.
  [[nodiscard]] std::optional<SymbolRecord> record(SymbolId definition) const;
  /// The same without comparing its block again: to leave out definitions, not to show them.
  [[nodiscard]] SymbolRecord glimpse(SymbolId definition) const { return records_[definition]; }

  [[nodiscard]] std::string_view kind(const SymbolRecord& record) const;

  /// Definitions of `file` are [first_definition(file), first_definition(file + 1)).
  [[nodiscard]] SymbolId first_definition(FileId file) const;
  [[nodiscard]] SymbolState state(FileId file) const;
  [[nodiscard]] std::string_view reader(FileId file) const;
  /// The files of the state kFailed, ascending.
  [[nodiscard]] const std::vector<FileId>& failed_files() const { return failed_files_; }
  /// All about a file; nullopt if it is damaged.
  [[nodiscard]] std::optional<FileSymbols> symbols_of(FileId file) const;

  explicit SymbolIndex(TableFile table) : table_(std::move(table)) {}

 private:
  /// Texts, one after the other.
  struct Texts {
    CheckedArray<std::uint32_t> starts;  // one more for the end
    CheckedArray<char> bytes;
    [[nodiscard]] std::size_t size() const { return starts.size() - 1; }
    [[nodiscard]] std::string_view operator[](std::size_t number) const {
      return bytes.part(starts[number], starts[number + 1]).text();
    }
  };
  [[nodiscard]] Status load(const Segment& segment);
  Result<Texts> take_texts();

  TableFile table_;
  Texts names_;
  CheckedArray<std::uint32_t> name_starts_;  // into by_name_; one more for the end
  CheckedArray<SymbolId> by_name_;
  CheckedArray<SymbolFileRecord> files_;  // one more for the end
  std::vector<FileId> failed_files_;      // of files_
  Texts words_;                           // kinds, readers and reasons
  CheckedArray<SymbolRecord> records_;
};

/// Compares names as the index orders them: by their letters in lower case, then as they are.
[[nodiscard]] int compare_names(std::string_view left, std::string_view right);

/// True if `index` would be built differently now: a file has another reader.
[[nodiscard]] bool is_outdated(const SymbolIndex& index, const Segment& segment,
                               const SymbolAnalyser& analyser);

}  // namespace quarry::corpus
