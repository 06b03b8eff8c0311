#include "pricing-models-dev/table.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::pricing_models_dev {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kForm = "models.dev table 1";

std::string_view name_of(std::string_view line) {
  const std::size_t tab = line.find('\t');
  return line.substr(0, line.find('\t', tab + 1));
}

}  // namespace

Table::Table(std::vector<Entry> entries, Origin origin) : origin_(std::move(origin)) {
  const auto key = [](const Entry& e) { return std::tie(e.provider, e.model); };
  std::ranges::stable_sort(entries, {}, [](const Entry& e) { return e.provider + '\t' + e.model; });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (i + 1 < entries.size() && key(entry) == key(entries[i + 1]))
      continue;  // the later one applies
    text_.append(entry.provider).append(1, '\t').append(entry.model).append(1, '\t');
    text_.append(entry.rates).append(1, '\n');
    ++size_;
  }
  write_head();
}

std::shared_ptr<const Table> Table::read(std::string text) {
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || text.back() != '\n') return nullptr;
  const Json head = Json::parse(text.substr(0, end), nullptr, false);
  if (!head.is_object() || head.value("form", Json()) != kForm) return nullptr;
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  std::shared_ptr<Table> table(new Table());
  try {
    table->origin_ = {head.at("url"), head.at("etag"), head.at("checked_ms")};
    table->size_ = head.at("models");
  } catch (const Json::exception&) {
    return nullptr;
  }
  if (table->size_ == 0 || table->size_ + 1 != lines) return nullptr;
  table->first_line_ = end + 1;
  table->text_ = std::move(text);
  return table;
}

std::shared_ptr<const Table> Table::checked_at(std::int64_t ms) const {
  std::shared_ptr<Table> table(new Table(*this));
  table->text_.erase(0, first_line_);
  table->origin_.checked_ms = ms;
  table->write_head();
  return table;
}

void Table::write_head() {
  const Json head = {{"form", kForm},
                     {"url", origin_.url},
                     {"etag", origin_.etag},
                     {"checked_ms", origin_.checked_ms},
                     {"models", size_}};
  const std::string line = head.dump(-1, ' ', true, Json::error_handler_t::replace) + '\n';
  first_line_ = line.size();
  text_.insert(0, line);
}

std::string_view Table::find(std::string_view provider, std::string_view model) const {
  const std::string wanted = std::string(provider) + '\t' + std::string(model);
  std::string_view rest = prices();
  while (!rest.empty()) {
    const std::size_t middle = rest.size() / 2;
    const std::size_t begin = middle == 0 ? 0 : rest.rfind('\n', middle - 1) + 1;  // npos + 1 is 0
    const std::size_t end = rest.find('\n', begin);
    const std::string_view line = rest.substr(begin, end - begin);
    const std::string_view name = name_of(line);
    if (name == wanted) return line.substr(name.size() + 1);
    rest = wanted < name ? rest.substr(0, begin) : rest.substr(end + 1);
  }
  return {};
}

}  // namespace quarry::pricing_models_dev
