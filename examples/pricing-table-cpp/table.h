/// A table of prices:
///
///   {"name": "Our contract", "date": "2026-11-01",
///    "models": {"openai/gpt-x": {"input": "1.25", "output": "10"}}}
#ifndef PRICING_TABLE_TABLE_H
#define PRICING_TABLE_TABLE_H

#include <quarry/outcome.hpp>

#include <map>
#include <string>
#include <string_view>

namespace pricing_table {

class Table {
 public:
  /// Reads and checks the whole text, which may come from anywhere. The failure names the member
  /// that is wrong; then nothing of the table is used.
  static quarry::Outcome<Table> read(std::string_view json);

  /// As quarry_pricing_v1.rates: "null" for a model that the table does not have.
  [[nodiscard]] std::string rates(std::string_view provider, std::string_view model) const;

 private:
  std::string head_;                          ///< the members "source" and "date"
  std::map<std::string, std::string> rates_;  ///< members by "<provider>/<model>"
};

}  // namespace pricing_table

#endif
