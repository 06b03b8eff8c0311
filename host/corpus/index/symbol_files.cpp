#include "corpus/index/symbol_files.h"

#include "base/utf8.h"
#include "corpus/index/symbol_index.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace quarry::corpus {
namespace {

constexpr std::size_t kMostReasonBytes = 300;

// A text of at least this size with longer lines on average is minified or generated.
constexpr std::size_t kLeastMinifiedBytes = 4u << 10;
constexpr std::size_t kMostLineBytes = 400;

bool fits(const SymbolDefinition& definition, std::size_t count, std::uint32_t lines) {
  return !definition.name.empty() && definition.name.size() <= kMostNameBytes &&
         definition.first_line >= 1 && definition.first_line <= definition.line &&
         definition.line <= definition.last_line && definition.last_line <= lines &&
         definition.parent >= -1 && definition.parent < static_cast<std::int64_t>(count);
}

FileSymbols failed(FileSymbols file, const Error& error) {
  file.state = SymbolState::kFailed;
  file.reason = utf8_prefix(to_utf8(error.message), kMostReasonBytes);
  if (file.reason.empty()) file.reason = "its analyser failed";
  if (error.tag == kAnalyserUnavailable) file.reader.clear();
  return file;
}

}  // namespace

bool has_extension(std::string_view path) {
  return path.substr(path.rfind('/') + 1).find('.', 1) != std::string_view::npos;
}

std::string reader_of(const SymbolAnalyser& analyser, const Segment& segment, FileId file) {
  if (segment.kind(file) != FileKind::kText) return {};
  const std::string_view path = segment.path(file);
  if (has_extension(path)) return analyser.reader_of(path, {});
  return analyser.reader_of(path, segment.line(file, 1));
}

std::vector<std::size_t> parent_numbers_of(const std::vector<SymbolDefinition>& definitions,
                                           std::size_t number) {
  std::vector<std::size_t> numbers;
  std::int32_t at = definitions[number].parent;
  while (at >= 0 && numbers.size() < kMostParents) {
    numbers.push_back(static_cast<std::size_t>(at));
    at = definitions[numbers.back()].parent;
  }
  return numbers;
}

std::vector<std::string_view> parents_of(const std::vector<SymbolDefinition>& definitions,
                                         std::size_t number) {
  std::vector<std::string_view> names;
  for (const std::size_t parent : parent_numbers_of(definitions, number)) {
    names.emplace_back(definitions[parent].name);
  }
  return names;
}

std::string_view LineBeginnings::before(const Segment& segment, FileId file, std::uint32_t line,
                                        std::string_view name) {
  if (segment_ != &segment || file_ != file || line_ != line) {
    const bool sound = segment.check(file).has_value();
    beginning_ = sound ? segment.line(file, line).substr(0, kMost) : std::string_view();
    segment_ = &segment;
    file_ = file;
    line_ = line;
  }
  const std::size_t at = beginning_.find(name);
  return at == std::string_view::npos ? std::string_view() : beginning_.substr(0, at);
}

SymbolState state_of_text(std::string_view text, std::uint32_t lines) {
  if (text.size() > kMostAnalysedBytes) return SymbolState::kTooLarge;
  const bool is_minified =
      text.size() >= kLeastMinifiedBytes && text.size() / std::max(lines, 1u) > kMostLineBytes;
  return is_minified ? SymbolState::kMinified : SymbolState::kRead;
}

Result<FileSymbols> read_symbols(const Segment& segment, FileId file, SymbolAnalyser& analyser,
                                 const std::stop_token& stop) {
  FileSymbols out;
  out.reader = reader_of(analyser, segment, file);
  if (out.reader.empty()) return out;
  const std::string_view text = segment.text(file);
  const std::uint32_t lines = segment.line_count(file);
  out.state = state_of_text(text, lines);
  if (out.state != SymbolState::kRead) return out;
  auto found = analyser.definitions(segment.path(file), text, stop);
  if (stop.stop_requested()) return Error{Code::kCancelled, "reading symbols was cancelled"};
  if (!found) return failed(std::move(out), found.error());
  const auto is_wrong = [&](const SymbolDefinition& one) {
    return !fits(one, found->size(), lines);
  };
  if (std::ranges::any_of(*found, is_wrong)) {
    return failed(std::move(out), Error{Code::kInternal, "its definitions do not fit the text"});
  }
  out.definitions = std::move(*found);
  return out;
}

Result<std::vector<FileSymbols>> read_symbols(const Segment& segment, const SymbolIndex* known,
                                              SymbolAnalyser& analyser, Executor& executor,
                                              const std::stop_token& stop) {
  if (Status sound = segment.check_all(); !sound) return std::move(sound).error();
  std::vector<FileSymbols> files(segment.file_count());
  parallel_for(executor, files.size(), [&](std::size_t i) {
    if (stop.stop_requested()) return;
    const auto file = static_cast<FileId>(i);
    if (known != nullptr) {
      auto before = known->symbols_of(file);
      if (before && before->reader == reader_of(analyser, segment, file)) {
        files[i] = std::move(*before);
        return;
      }
    }
    auto read = read_symbols(segment, file, analyser, stop);
    if (read) files[i] = std::move(*read);
  });
  if (stop.stop_requested()) return Error{Code::kCancelled, "reading symbols was cancelled"};
  return files;
}

}  // namespace quarry::corpus
