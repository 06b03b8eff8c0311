#pragma once

#include "ask/citation_list.h"
#include "ask/wanted_resource.h"
#include "corpus/query/collection.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::ask {

/// True if a text was found damaged.
[[nodiscard]] bool is_damaged(const corpus::Collection& collection);

/// What an answer may cite of a resource.
[[nodiscard]] CitableResource citable(const resources::Prepared& prepared);

/// The prepared resources of a question. One whose copy in the cache is found damaged while a tool
/// reads it is prepared again, once in a question. Thread-safe.
class QuestionSources {
 public:
  struct Opened {
    corpus::Collection collection;
    std::vector<CitableResource> resources;  ///< in the order of the collection's sources
  };
  using OpenedPointer = std::shared_ptr<const Opened>;
  /// ask::prepare of a resource of the question. Must not call back after the question has ended.
  using Prepare =
      std::function<void(const WantedResource& wanted, resources::Library::OnPrepared done)>;

  /// `wanted`: in the order of the sources, each of them prepared.
  QuestionSources(Opened opened, const std::vector<WantedResource>& wanted);

  [[nodiscard]] OpenedPointer opened() const;
  /// Prepares again what is damaged in `damaged`, which opened() returned, and calls `then` with
  /// what to read instead: null if there is nothing better. [any]
  void renew(const OpenedPointer& damaged, const Prepare& prepare,
             std::function<void(OpenedPointer)> then);

 private:
  enum class State { kFirst, kRenewing, kRenewed };
  /// A WantedResource that takes little memory until the question ends.
  struct Kept {
    explicit Kept(const WantedResource& wanted);
    [[nodiscard]] WantedResource wanted() const;

    std::string resource;  ///< JSON
    resources::Freshness freshness;
    std::unique_ptr<const plugins::ResourceVersion> locked;  ///< may be null
    std::string project;
    std::function<void(std::string_view cause)> tell_owner;
  };

  void take(const std::vector<std::size_t>& places, std::vector<Result<resources::Prepared>> all);

  mutable std::mutex mutex_;
  OpenedPointer opened_;
  std::vector<Kept> wanted_;
  State state_ = State::kFirst;
  std::vector<std::function<void(OpenedPointer)>> waiting_;
};

}  // namespace quarry::ask
