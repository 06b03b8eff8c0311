#include "pricing-models-dev/catalogue.h"

#include "pricing-models-dev/reader.h"

#include <quarry/http.hpp>
#include <quarry/paths.h>

#include <chrono>
#include <cstdio>

namespace quarry::pricing_models_dev {
namespace {

constexpr std::size_t kMaxResponseBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxEtag = 256;
constexpr std::string_view kGoogle = "models/";  // prefix of models in Google's API

/// The day of a moment, as "2026-11-01".
std::string day_of(std::int64_t ms) {
  const std::chrono::sys_time<std::chrono::milliseconds> moment{std::chrono::milliseconds(ms)};
  const std::chrono::year_month_day day{std::chrono::floor<std::chrono::days>(moment)};
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()),
                static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
  return text;
}

std::string outcome(bool changed, std::int64_t next_ms) {
  return std::string(R"({"changed":)") + (changed ? "true" : "false") + R"(,"nextMs":)" +
         std::to_string(next_ms) + "}";
}

Failure refused(const std::string& url, const std::string& why,
                std::string hint =
                    "Prices stay unchanged; \"refresh = false\" in [pricing] "
                    "turns updates off.") {
  return {QUARRY_UNAVAILABLE, url + ": " + why, std::move(hint), {}};
}

}  // namespace

std::string Catalogue::rates(std::string_view provider, std::string_view model) {
  if (provider == "google" && model.starts_with(kGoogle)) model.remove_prefix(kGoogle.size());
  const Shared known = table();
  const std::string_view found = known ? known->find(provider, model) : std::string_view();
  if (found.empty()) return "null";
  return R"({"source":"models.dev","date":")" + day_of(known->origin().checked_ms) + "\"," +
         std::string(found.substr(1));
}

Outcome<std::string> Catalogue::refresh(const Call& call) {
  const std::int64_t every = std::chrono::milliseconds(settings_.refresh).count();
  if (every == 0 || host_.service<quarry_http_v1>(QUARRY_HTTP) == nullptr) {
    return std::string(R"({"changed":false})");
  }
  const bool stored = take_stored();
  const Shared old = table();
  const std::int64_t now = now_ms();
  const std::int64_t age = old ? now - old->origin().checked_ms : every;
  const bool same_place = old && old->origin().url == settings_.url;
  if (same_place && age >= 0 && age < every) return outcome(stored, every - age);
  auto newer = fetch_newer(call, same_place ? old : nullptr, now);
  if (!newer) return newer.failure();
  return outcome(keep(std::move(*newer)) || stored, every);
}

Outcome<Catalogue::Shared> Catalogue::fetch_newer(const Call& call, const Shared& old,
                                                  std::int64_t now) {
  HttpRequest request{"GET", settings_.url, {{"Accept", "application/json", {}}}, {}};
  if (old && !old->origin().etag.empty()) {
    request.headers.push_back({"If-None-Match", old->origin().etag, {}});
  }
  const auto response = fetch(host_, call, request, kMaxResponseBytes);
  if (!response) return response.failure();
  if (response->status == 304 && old) return old->checked_at(now);
  if (response->status != 200) {
    return refused(settings_.url, "HTTP " + std::to_string(response->status));
  }
  auto entries = read_catalogue(response->body);
  if (!entries) return refused(settings_.url, entries.failure().message);
  std::string etag(header(response->headers, "etag"));
  if (etag.size() > kMaxEtag) etag.clear();
  auto made = std::make_shared<const Table>(std::move(*entries),
                                            Origin{settings_.url, std::move(etag), now});
  if (old && made->size() < old->size() / 2) {
    const auto kept = file();
    return refused(
        settings_.url,
        "the catalogue prices " + std::to_string(made->size()) + " models, the old one " +
            std::to_string(old->size()) + "; the old one is kept",
        kept ? "Remove " + kept->path().string() + " and restart to use the new one." : "");
  }
  return Shared(std::move(made));
}

bool Catalogue::keep(Shared table) {
  const auto kept = file();
  if (const std::string wrong = kept ? kept->store(*table) : ""; !wrong.empty()) {
    host_.log(QUARRY_LOG_WARNING, wrong);
  }
  return take(std::move(table));
}

bool Catalogue::take(Shared table) {
  const std::lock_guard lock(mutex_);
  loaded_ = true;
  const bool changed = !table_ || table_->prices() != table->prices();
  table_ = std::move(table);
  return changed;
}

bool Catalogue::take_stored() {
  const Shared mine = table();
  const auto kept = file();
  Shared stored = kept ? kept->load() : nullptr;
  if (!stored) return false;
  if (mine && mine->origin().checked_ms >= stored->origin().checked_ms) return false;
  return take(std::move(stored));
}

Catalogue::Shared Catalogue::table() {
  const std::lock_guard lock(mutex_);
  if (!loaded_) {
    loaded_ = true;
    const auto kept = file();
    if (kept) table_ = kept->load();
  }
  return table_;
}

std::optional<TableFile> Catalogue::file() const {
  const auto* paths = host_.service<quarry_paths_v1>(QUARRY_PATHS);
  const std::string_view cache = paths ? as_view(paths->cache(paths)) : std::string_view();
  if (cache.empty()) return std::nullopt;
  return TableFile(std::filesystem::path(cache));
}

std::int64_t Catalogue::now_ms() const {
  if (const auto* clock = host_.service<quarry_clock_v1>(QUARRY_CLOCK))
    return clock->wall_ms(clock);
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace quarry::pricing_models_dev
