#include "ask/question_sources.h"

#include "ask/gathering.h"

#include <utility>

#include <nlohmann/json.hpp>

namespace quarry::ask {
namespace {

/// The places of sources of which a text was found damaged.
std::vector<std::size_t> damaged_places(const corpus::Collection& collection) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < collection.sources().size(); ++i) {
    const auto& snapshot = collection.sources()[i].snapshot;
    if (snapshot && snapshot->is_damaged()) out.push_back(i);
  }
  return out;
}

}  // namespace

bool is_damaged(const corpus::Collection& collection) {
  return !damaged_places(collection).empty();
}

CitableResource citable(const resources::Prepared& prepared) {
  return {.name = prepared.name,
          .version = prepared.version,
          .permalink = prepared.permalink,
          .generated = prepared.generated,
          .facts = prepared.facts,
          .lease = prepared.lease};
}

QuestionSources::Kept::Kept(const WantedResource& wanted)
    : resource(to_text(wanted.resource)),
      freshness(wanted.prepare_options.freshness),
      project(wanted.prepare_options.project),
      tell_owner(wanted.tell_owner) {
  if (const auto& version = wanted.prepare_options.locked) {
    locked = std::make_unique<const plugins::ResourceVersion>(*version);
  }
}

WantedResource QuestionSources::Kept::wanted() const {
  WantedResource out{
      .resource = Json::parse(resource), .prepare_options = {}, .tell_owner = tell_owner};
  out.prepare_options.freshness = freshness;
  out.prepare_options.project = project;
  if (locked) out.prepare_options.locked = *locked;
  return out;
}

QuestionSources::QuestionSources(Opened opened, const std::vector<WantedResource>& wanted)
    : opened_(std::make_shared<const Opened>(std::move(opened))) {
  wanted_.reserve(wanted.size());
  for (const WantedResource& each : wanted) wanted_.emplace_back(each);
}

QuestionSources::OpenedPointer QuestionSources::opened() const {
  const std::lock_guard lock(mutex_);
  return opened_;
}

void QuestionSources::renew(const OpenedPointer& damaged, const Prepare& prepare,
                            std::function<void(OpenedPointer)> then) {
  {
    std::unique_lock lock(mutex_);
    if (opened_ != damaged || state_ == State::kRenewed) {
      const OpenedPointer better = opened_ != damaged ? opened_ : nullptr;
      lock.unlock();
      return then(better);
    }
    waiting_.push_back(std::move(then));
    if (std::exchange(state_, State::kRenewing) == State::kRenewing) return;
  }
  const auto places = damaged_places(damaged->collection);
  if (places.empty()) return take({}, {});
  const auto outcomes = std::make_shared<Gathering<Result<resources::Prepared>>>(
      places.size(), [this, places](std::vector<Result<resources::Prepared>> all) {
        take(places, std::move(all));
      });
  for (std::size_t n = 0; n < places.size(); ++n) {
    prepare(wanted_[places[n]].wanted(), [outcomes, n](Result<resources::Prepared> outcome) {
      outcomes->put(n, std::move(outcome));
    });
  }
}

void QuestionSources::take(const std::vector<std::size_t>& places,
                           std::vector<Result<resources::Prepared>> all) {
  auto sources = opened()->collection.sources();
  auto resources = opened()->resources;
  bool better = !places.empty();
  for (std::size_t n = 0; n < places.size(); ++n) {
    if (!all[n] || !all[n]->stale.empty()) {
      better = false;
      continue;
    }
    const std::size_t place = places[n];
    all[n]->name = sources[place].name;
    sources[place].snapshot = all[n]->snapshot;
    resources[place] = citable(*all[n]);
  }
  std::vector<std::function<void(OpenedPointer)>> waiting;
  OpenedPointer now;
  {
    const std::lock_guard lock(mutex_);
    if (better) {
      opened_ = std::make_shared<const Opened>(
          Opened{corpus::Collection(std::move(sources), opened_->collection.models()),
                 std::move(resources)});
      now = opened_;
    }
    state_ = State::kRenewed;
    waiting.swap(waiting_);
  }
  for (const auto& then : waiting) then(now);
}

}  // namespace quarry::ask
