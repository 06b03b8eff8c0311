#include "store_sql/statements.h"

namespace quarry::store_sql {

std::string places(std::size_t rows, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    if (i % columns == 0) out += i == 0 ? "(" : "), (";
    out += (i % columns == 0 ? "$" : ", $") + std::to_string(i + 1);
  }
  return out + ')';
}

}  // namespace quarry::store_sql
