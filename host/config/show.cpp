#include "config/config.h"
#include "config/layers.h"
#include "config/secrets.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace quarry::config {
namespace {

/// True for a table whose members have places of their own.
bool is_table(const Json& value) {
  return value.is_object() && !is_secret_reference(value);
}

bool is_table_list(const Json& value) {
  return value.is_array() && !value.empty() &&
         std::ranges::all_of(value, [](const Json& item) { return item.is_object(); });
}

/// Writes tables as TOML, each value with a comment that names its place.
class Printer {
 public:
  explicit Printer(const Document& document) : document_(document) {}

  std::string run() {
    print(document_.root, "", "");
    return std::move(out_);
  }

 private:
  void print(const Json& table, const std::string& header, const std::string& pointer) {
    for (const auto& [name, value] : table.items()) {
      if (!is_table(value) && !is_table_list(value)) {
        print_value(name, value, child_pointer(pointer, name));
      }
    }
    for (const auto& [name, value] : table.items()) {
      const std::string child = child_pointer(pointer, name);
      const std::string key = (header.empty() ? "" : header + ".") + to_toml_key(name);
      if (is_table(value)) {
        print_header("[" + key + "]");
        print(value, key, child);
      } else if (is_table_list(value)) {
        print_list(value, key, child);
      }
    }
  }

  void print_list(const Json& list, const std::string& key, const std::string& pointer) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      print_header("[[" + key + "]]");
      print(list[i], key, pointer + "/" + std::to_string(i));
    }
  }

  void print_header(const std::string& header) {
    out_ += (out_.empty() ? "" : "\n") + header + "\n";
  }

  void print_value(const std::string& name, const Json& value, const std::string& pointer) {
    out_ += to_toml_key(name) + " = " + to_toml(value);
    const auto place = document_.places.find(pointer);
    if (place != document_.places.end()) out_ += "  # " + place->second.text();
    out_ += '\n';
  }

  const Document& document_;
  std::string out_;
};

}  // namespace

Result<std::string> show(const Sources& sources) {
  auto loaded = load(sources);
  if (!loaded) return std::move(loaded).error();
  auto layers = read_layers(sources);
  if (!layers) return std::move(layers).error();
  return Printer(layers->merged).run();
}

}  // namespace quarry::config
