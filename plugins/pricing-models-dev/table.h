#pragma once

#include "pricing-models-dev/reader.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::pricing_models_dev {

/// The origin of a table, and when it was last known to be current.
struct Origin {
  std::string url;
  std::string etag;             ///< empty = the server gave none
  std::int64_t checked_ms = 0;  ///< since 1970-01-01 UTC
};

/// Prices in their form on disk: one line of JSON about the table, then a sorted line
/// "<provider>\t<model>\t<rates>" each, so that neither a lookup nor a start parses them.
/// Immutable; any thread.
class Table {
 public:
  Table(std::vector<Entry> entries, Origin origin);
  /// Null when `text` is not a complete table of this form.
  static std::shared_ptr<const Table> read(std::string text);
  /// The same prices, known to be current at another time.
  [[nodiscard]] std::shared_ptr<const Table> checked_at(std::int64_t ms) const;

  /// The rates of the entry; empty when the model is missing.
  [[nodiscard]] std::string_view find(std::string_view provider, std::string_view model) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const Origin& origin() const { return origin_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  /// All lines but the first; equal exactly when the prices are.
  [[nodiscard]] std::string_view prices() const {
    return std::string_view(text_).substr(first_line_);
  }

 private:
  Table() = default;
  void write_head();

  std::string text_;
  std::size_t first_line_ = 0;  // offset of the prices
  std::size_t size_ = 0;
  Origin origin_;
};

}  // namespace quarry::pricing_models_dev
