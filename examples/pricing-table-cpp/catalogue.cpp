// A price catalogue in C++. `refresh` downloads a table when its copy in the cache is a day old;
// `rates` answers from memory, and after a restart from the cache, without the network.
#include "table.h"

#include <quarry/cache_entry.hpp>
#include <quarry/http.hpp>
#include <quarry/json.hpp>
#include <quarry/plugin.hpp>

#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace {

namespace json = quarry::json;
using pricing_table::Table;
using quarry::CacheEntry;
using quarry::Outcome;

constexpr std::int64_t kDayMs = 24 * 60 * 60 * 1000;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr const char* kFile = "table.json";

/// The copy of a table: its text, and the time of its download.
struct Copy {
  std::int64_t fetched_ms = 0;
  std::string text;
};

/// Keeps the copy in an entry of the plugin's cache, which other processes read too. The file has
/// the time in its first line.
class CopyInCache {
 public:
  CopyInCache(const quarry::Host& host, const std::string& url)
      : cache_(CacheEntry::cache_of(host)), name_(name_of(url)) {}

  /// An empty text when there is none.
  [[nodiscard]] Copy read() const {
    const CacheEntry entry = CacheEntry::open(cache_, name_, CacheEntry::Lock::kShared);
    Copy copy;
    if (!entry) return copy;
    std::ifstream file(entry.path() / kFile);
    file >> copy.fetched_ms;
    if (file.get() == '\n') copy.text.assign(std::istreambuf_iterator<char>(file), {});
    entry.touch();
    return copy;
  }

  /// False when the cache cannot be written.
  [[nodiscard]] bool write(const Copy& copy) const {
    CacheEntry fresh = CacheEntry::begin(cache_);
    if (!fresh) return false;
    std::ofstream file(fresh.path() / kFile);
    file << copy.fetched_ms << '\n' << copy.text << std::flush;
    if (!file) return false;
    if (fresh.publish(name_)) return true;
    CacheEntry::open(cache_, name_, CacheEntry::Lock::kExclusive).remove();
    return fresh.publish(name_);
  }

 private:
  /// A hash may differ between builds; another build downloads the table once more.
  static std::string name_of(const std::string& url) {
    return "table-" + std::to_string(std::hash<std::string>()(url));
  }

  const std::filesystem::path cache_;
  const std::string name_;
};

class Catalogue {
 public:
  Catalogue(quarry::Host host, std::string_view configuration)
      : host_(host), url_(json::string(configuration, "url").value_or("")), copy_(host, url_) {
    if (!url_.empty()) use_copy();
    changed_ = false;
  }

  std::string rates(std::string_view provider, std::string_view model) {
    const auto table = this->table();
    return table == nullptr ? "null" : table->rates(provider, model);
  }

  Outcome<std::string> refresh(const quarry::Call& call) {
    if (url_.empty()) return std::string(R"({"changed":false})");
    const std::int64_t age = now_ms() - use_copy();
    if (age >= 0 && age < kDayMs) return result(kDayMs - age);
    auto response =
        quarry::fetch(host_, call, {"GET", url_, {}, {}, std::chrono::seconds(30)}, kMostBytes);
    if (!response) return response.failure();
    if (response->status != 200) {
      return quarry::Failure{QUARRY_UNAVAILABLE,
                             url_ + " answered with status " + std::to_string(response->status),
                             "check url in [pricing.table]",
                             {}};
    }
    if (auto failed = use(response->body)) return *failed;
    if (!copy_.write({now_ms(), response->body})) {
      host_.log(QUARRY_LOG_WARNING, "the table is not kept: the cache cannot be written");
    }
    return result(kDayMs);
  }

 private:
  std::shared_ptr<const Table> table() {
    const std::lock_guard lock(mutex_);
    return table_;
  }

  std::string result(std::int64_t next_ms) {
    const std::lock_guard lock(mutex_);
    return std::string("{\"changed\":") + (std::exchange(changed_, false) ? "true" : "false") +
           ",\"nextMs\":" + std::to_string(next_ms) + "}";
  }

  std::optional<quarry::Failure> use(const std::string& text) {
    auto table = Table::read(text);
    if (!table) return table.failure();
    const std::lock_guard lock(mutex_);
    changed_ = changed_ || text != text_;
    text_ = text;
    table_ = std::make_shared<const Table>(std::move(*table));
    return std::nullopt;
  }

  /// Uses the copy in the cache; returns the time of its download, 0 when it is of no use.
  std::int64_t use_copy() {
    const Copy copy = copy_.read();
    return copy.text.empty() || use(copy.text) ? 0 : copy.fetched_ms;
  }

  [[nodiscard]] std::int64_t now_ms() const {
    const auto* const clock = host_.service<quarry_clock_v1>(QUARRY_CLOCK);
    if (clock != nullptr) return clock->wall_ms(clock);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  const quarry::Host host_;
  const std::string url_;
  const CopyInCache copy_;
  std::mutex mutex_;  ///< guards the members below: rates and refresh are called at once
  std::shared_ptr<const Table> table_;
  std::string text_;
  bool changed_ = false;
};

}  // namespace

QUARRY_PLUGIN("org.example.price-table", "1.0.0", quarry::pricing<Catalogue>("table"))
