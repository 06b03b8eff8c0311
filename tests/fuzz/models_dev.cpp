// The catalogue of models.dev: any input is rejected, or becomes a table that reads back and finds
// all its models, with prices that a host accepts.

#include "pricing-models-dev/number.h"
#include "pricing-models-dev/table.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace models_dev = quarry::pricing_models_dev;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto dollars = models_dev::plain_dollars(text)) {
    require(models_dev::plain_dollars(*dollars) == dollars);
  }
  auto entries = models_dev::read_catalogue(text);
  if (!entries) {
    static_cast<void>(models_dev::Table::read(std::string(text)));
    return 0;
  }
  const models_dev::Table table(*entries, {});
  for (const auto& entry : *entries) require(!table.find(entry.provider, entry.model).empty());
  const auto again = models_dev::Table::read(table.text());
  require(again && again->prices() == table.prices());
  return 0;
}
