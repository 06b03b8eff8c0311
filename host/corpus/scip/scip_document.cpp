#include "corpus/scip/scip_document.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <optional>
#include <string>

#include <protozero/pbf_message.hpp>

namespace quarry::corpus {
namespace {

using protozero::pbf_wire_type;

// The fields of SCIP that are used here.
enum class IndexField : protozero::pbf_tag_type { kDocuments = 2 };
enum class DocumentField : protozero::pbf_tag_type {
  kPath = 1,
  kOccurrences = 2,
  kSymbols = 3,
  kEncoding = 6,
};
enum class OccurrenceField : protozero::pbf_tag_type {
  kRange = 1,
  kSymbol = 2,
  kRoles = 3,
  kEnclosingRange = 7,
};
enum class SymbolField : protozero::pbf_tag_type { kSymbol = 1, kKind = 5 };

/// Bit of Occurrence.symbol_roles.
constexpr std::int32_t kDefinition = 1;
/// Larger lines and characters are not read: nothing overflows.
constexpr std::int32_t kMostPosition = 1'000'000'000;
/// As many as a source may have files: each takes twenty times the two bytes of an empty one.
constexpr std::size_t kMostDocuments = 1'000'000;

std::string_view text_of_view(protozero::data_view view) {
  return {view.data(), view.size()};
}

/// A view of a field, whose type on the wire may be another in a malformed message.
template <class Field>
std::optional<std::string_view> view_of(protozero::pbf_message<Field>& message) {
  if (message.wire_type() == pbf_wire_type::length_delimited)
    return text_of_view(message.get_view());
  message.skip();
  return std::nullopt;
}

template <class Field>
std::int32_t number_of(protozero::pbf_message<Field>& message) {
  if (message.wire_type() == pbf_wire_type::varint) return message.get_int32();
  message.skip();
  return 0;
}

/// Lines and characters, both from 0.
struct Range {
  std::uint32_t first_line;
  std::uint32_t begin;
  std::uint32_t last_line;
  std::uint32_t end;
};

/// Three numbers for a range in one line, otherwise four.
std::optional<Range> range_of(protozero::pbf_message<OccurrenceField>& message) {
  if (message.wire_type() != pbf_wire_type::length_delimited) {
    message.skip();
    return std::nullopt;
  }
  std::array<std::uint32_t, 4> numbers{};
  std::size_t count = 0;
  for (const std::int32_t number : message.get_packed_int32()) {
    if (count == numbers.size() || number < 0 || number > kMostPosition) return std::nullopt;
    numbers[count++] = static_cast<std::uint32_t>(number);
  }
  const auto [line, begin, third, fourth] = numbers;
  if (count == 3) return Range{line, begin, line, third};
  if (count == 4 && line <= third) return Range{line, begin, third, fourth};
  return std::nullopt;
}

std::optional<ScipOccurrence> occurrence_of(std::string_view bytes) {
  protozero::pbf_message<OccurrenceField> message(bytes.data(), bytes.size());
  std::optional<Range> range;
  std::optional<Range> enclosing;
  std::string_view symbol;
  std::int32_t roles = 0;
  while (message.next()) {
    switch (message.tag()) {
      case OccurrenceField::kRange:
        range = range_of(message);
        break;
      case OccurrenceField::kSymbol:
        symbol = view_of(message).value_or("");
        break;
      case OccurrenceField::kRoles:
        roles = number_of(message);
        break;
      case OccurrenceField::kEnclosingRange:
        enclosing = range_of(message);
        break;
      default:
        message.skip();
    }
  }
  if (!range || range->first_line != range->last_line || symbol.empty()) return std::nullopt;
  ScipOccurrence out{
      symbol, range->first_line + 1, range->begin, range->end, (roles & kDefinition) != 0, 0, 0};
  if (enclosing && enclosing->first_line < out.line && enclosing->last_line + 1 >= out.line) {
    out.first_line = enclosing->first_line + 1;
    out.last_line = enclosing->last_line + 1;
  }
  return out;
}

void add_kind(std::string_view bytes, std::map<std::string_view, int>& kinds) {
  protozero::pbf_message<SymbolField> message(bytes.data(), bytes.size());
  std::string_view symbol;
  std::int32_t kind = 0;
  while (message.next()) {
    switch (message.tag()) {
      case SymbolField::kSymbol:
        symbol = view_of(message).value_or("");
        break;
      case SymbolField::kKind:
        kind = number_of(message);
        break;
      default:
        message.skip();
    }
  }
  if (kind != 0) kinds.emplace(symbol, kind);
}

ScipDocument document_of(std::string_view bytes) {
  ScipDocument document;
  protozero::pbf_message<DocumentField> message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (message.tag()) {
      case DocumentField::kOccurrences:
        if (const auto view = view_of(message)) {
          if (const auto one = occurrence_of(*view)) document.occurrences.push_back(*one);
        }
        break;
      case DocumentField::kSymbols:
        if (const auto view = view_of(message)) add_kind(*view, document.kinds);
        break;
      case DocumentField::kEncoding:
        if (const auto number = number_of(message); number >= 0 && number <= 3) {
          document.encoding = static_cast<ScipEncoding>(number);
        }
        break;
      default:
        message.skip();
    }
  }
  return document;
}

/// The result of `read`, which throws for malformed bytes.
template <class Read>
auto read_message(Read read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const protozero::exception& error) {
    return Error{Code::kInternal, std::string("it is not a message of SCIP: ") + error.what()};
  }
}

/// The bytes of one character, and the units that it counts for.
struct Character {
  std::size_t bytes;
  std::uint32_t units;
};

Character first_character(std::string_view text, ScipEncoding encoding) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t size = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const bool is_pair = encoding == ScipEncoding::kUtf16 && size == 4;
  return {std::min(size, text.size()), is_pair ? 2u : 1u};
}

/// Removes `units` from the front of `text`; false if it is shorter or they end within a character.
bool skip(std::string_view& text, std::uint32_t units, ScipEncoding encoding) {
  if (encoding != ScipEncoding::kUtf16 && encoding != ScipEncoding::kUtf32) {
    if (units > text.size()) return false;
    text.remove_prefix(units);
    return true;
  }
  while (units > 0) {
    if (text.empty()) return false;
    const Character next = first_character(text, encoding);
    if (next.units > units) return false;
    units -= next.units;
    text.remove_prefix(next.bytes);
  }
  return true;
}

}  // namespace

Result<ScipDocument> ScipDocument::read(std::string_view bytes) {
  return read_message([&] { return document_of(bytes); });
}

Result<std::string_view> scip_path(std::string_view document) {
  return read_message([&] {
    protozero::pbf_message<DocumentField> message(document.data(), document.size());
    const bool found = message.next(DocumentField::kPath, pbf_wire_type::length_delimited);
    return found ? text_of_view(message.get_view()) : std::string_view();
  });
}

Result<std::vector<std::string_view>> scip_documents(std::string_view index) {
  auto read = read_message([&] {
    std::vector<std::string_view> documents;
    protozero::pbf_message<IndexField> message(index.data(), index.size());
    while (documents.size() <= kMostDocuments &&
           message.next(IndexField::kDocuments, pbf_wire_type::length_delimited)) {
      documents.push_back(text_of_view(message.get_view()));
    }
    return documents;
  });
  if (!read || read->size() <= kMostDocuments) return read;
  return Error{Code::kInternal,
               "it has more than " + std::to_string(kMostDocuments) + " documents"};
}

std::string_view scip_text(std::string_view line, std::uint32_t begin, std::uint32_t end,
                           ScipEncoding encoding) {
  if (end <= begin || !skip(line, begin, encoding)) return {};
  std::string_view rest = line;
  if (!skip(rest, end - begin, encoding)) return {};
  return line.substr(0, line.size() - rest.size());
}

}  // namespace quarry::corpus
