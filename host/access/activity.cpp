#include "access/activity.h"

namespace quarry::access {
namespace {

template <class Map, class Key>
auto value_of(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type() : found->second;
}

}  // namespace

Minute minute_of(Clock::Wall at) {
  using std::chrono::floor;
  const auto minute = floor<std::chrono::minutes>(at.time_since_epoch());
  return {minute.count(), floor<std::chrono::milliseconds>(at.time_since_epoch() - minute)};
}

void Activity::count_request(std::string_view token, std::int64_t minute) {
  ++unpublished_[std::string(token)][minute];
}

MinuteCounts Activity::requests(std::string_view token, std::int64_t minute) const {
  const Minutes published = value_of(published_, token);
  const Minutes unpublished = value_of(unpublished_, token);
  return {value_of(published, minute - 1) + value_of(unpublished, minute - 1),
          value_of(published, minute) + value_of(unpublished, minute)};
}

void Activity::begin_stream(std::string_view token) {
  ++streams_[std::string(token)];
}

void Activity::end_stream(std::string_view token) {
  const auto found = streams_.find(token);
  if (--found->second == 0) streams_.erase(found);
}

std::uint32_t Activity::streams(std::string_view token) const {
  return value_of(streams_, token) + value_of(streams_elsewhere_, token);
}

std::vector<std::string> Activity::streaming() const {
  std::vector<std::string> tokens;
  for (const auto& [token, count] : streams_) tokens.push_back(token);
  return tokens;
}

plugins::HostActivity Activity::to_publish(std::string_view host, Clock::Wall at) const {
  plugins::HostActivity out{std::string(host), at, minute_of(at).number, {}, {}};
  for (const auto& [token, minutes] : unpublished_) {
    for (const auto& [minute, count] : minutes) out.requests.push_back({token, count, minute});
  }
  for (const auto& [token, count] : streams_) out.streams.push_back({token, count, 0});
  return out;
}

void Activity::absorb(const plugins::HostActivity& published,
                      const plugins::SharedActivity& shared) {
  for (const auto& [token, count, minute] : published.requests) {
    Minutes& minutes = unpublished_[token];
    minutes[minute] -= count;
    if (minutes[minute] == 0) minutes.erase(minute);
    if (minutes.empty()) unpublished_.erase(token);
  }
  published_.clear();
  for (const auto& [token, count, minute] : shared.requests) published_[token][minute] = count;
  streams_elsewhere_.clear();
  for (const auto& [token, count, unused] : shared.streams) streams_elsewhere_[token] = count;
}

}  // namespace quarry::access
