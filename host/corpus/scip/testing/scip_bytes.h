#pragma once

#include "corpus/scip/scip_document.h"

#include <cstdint>
#include <string>
#include <vector>

#include <protozero/pbf_writer.hpp>

namespace quarry::corpus {

/// Writes documents of SCIP as an indexer does.
class ScipDocumentBytes {
 public:
  explicit ScipDocumentBytes(const std::string& path, ScipEncoding encoding = ScipEncoding::kUtf8) {
    protozero::pbf_writer writer(bytes_);
    writer.add_string(1, path);
    if (encoding != ScipEncoding::kUnspecified) {
      writer.add_enum(6, static_cast<std::int32_t>(encoding));
    }
  }

  /// `range` and `enclosing` as in the format: lines and characters from 0.
  ScipDocumentBytes& definition(const std::string& symbol, const std::vector<std::int32_t>& range,
                                const std::vector<std::int32_t>& enclosing = {}) {
    return occurrence(symbol, range, 1, enclosing);
  }
  ScipDocumentBytes& reference(const std::string& symbol, const std::vector<std::int32_t>& range) {
    return occurrence(symbol, range, 8, {});
  }
  ScipDocumentBytes& kind(const std::string& symbol, int kind) {
    protozero::pbf_writer writer(bytes_);
    protozero::pbf_writer one(writer, 3);
    one.add_string(1, symbol);
    one.add_enum(5, kind);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  ScipDocumentBytes& occurrence(const std::string& symbol, const std::vector<std::int32_t>& range,
                                int roles, const std::vector<std::int32_t>& enclosing) {
    protozero::pbf_writer writer(bytes_);
    protozero::pbf_writer one(writer, 2);
    one.add_packed_int32(1, range.begin(), range.end());
    one.add_string(2, symbol);
    one.add_int32(3, roles);
    if (!enclosing.empty()) one.add_packed_int32(7, enclosing.begin(), enclosing.end());
    return *this;
  }

  std::string bytes_;
};

/// An index of these documents, with the metadata that an indexer writes.
inline std::string scip_bytes(const std::vector<std::string>& documents) {
  std::string bytes;
  protozero::pbf_writer index(bytes);
  {
    protozero::pbf_writer metadata(index, 1);
    metadata.add_string(3, "file:///project");
  }
  for (const std::string& document : documents) index.add_message(2, document);
  return bytes;
}

}  // namespace quarry::corpus
