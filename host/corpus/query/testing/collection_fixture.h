#pragma once

#include "corpus/query/collection.h"
#include "corpus/snapshot/testing/snapshot_fixture.h"

#include <string>
#include <utility>

namespace quarry::corpus {

/// Makes collections from literals.
class CollectionFixture : public SnapshotFixture {
 protected:
  /// A collection of one source.
  Collection collection(std::string name, const Files& files) {
    return Collection({{std::move(name), snapshot(files)}});
  }
};

}  // namespace quarry::corpus
