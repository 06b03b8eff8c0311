#include "store_sql/statements.h"

#include <algorithm>

namespace quarry::store_sql {

std::string places(std::size_t rows, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < rows * columns; ++i) {
    if (i % columns == 0) out += i == 0 ? "(" : "), (";
    out += (i % columns == 0 ? "$" : ", $") + std::to_string(i + 1);
  }
  return out + ')';
}

void insert_rows(Statements& sql, std::string_view into, std::span<const Value> values,
                 std::string_view on_conflict) {
  const auto columns = static_cast<std::size_t>(std::ranges::count(into, ',')) + 1;
  const std::size_t most = columns * kRowsAtOnce;
  for (; !values.empty(); values = values.subspan(std::min(most, values.size()))) {
    const auto rows = values.first(std::min(most, values.size()));
    std::string statement = "INSERT INTO ";
    statement += into;
    statement += " VALUES " + places(rows.size() / columns, columns) + ' ';
    statement += on_conflict;
    sql.run(statement, rows);
  }
}

}  // namespace quarry::store_sql
