#pragma once

#include "resource-archive/download.h"
#include "resource-archive/plan.h"
#include "resource-archive/source.h"
#include "resource-archive/store.h"

#include <quarry/resource.hpp>

#include <string>
#include <string_view>

namespace quarry::resource_archive {

/// Resolves and fetches archives; <quarry/resource.h> documents the functions. Any thread.
class Archives {
 public:
  Archives(Host host, std::string_view configuration);

  Outcome<std::string> resolve(const Call& call, std::string_view resource, std::string_view last);
  Outcome<std::string> fetch(const Call& call, std::string_view resource, std::string_view version,
                             Tree& tree);

 private:
  [[nodiscard]] Outcome<Store> open_store(const Call& call, const Source& source,
                                          const Credentials& credentials,
                                          const std::string& scratch) const;
  [[nodiscard]] Outcome<Facts> get(const Call& call, const Source& source,
                                   const Credentials& credentials, const Store& store,
                                   const Validators& known) const;
  [[nodiscard]] Outcome<std::string> resolve_by(const Call& call, const Source& source,
                                                const Credentials& credentials, const Store& store,
                                                std::string_view last) const;
  /// Makes sure that the store has the archive with this digest.
  [[nodiscard]] Outcome<Facts> provide(const Call& call, const Source& source,
                                       const Credentials& credentials, const Store& store,
                                       const std::string& digest) const;
  [[nodiscard]] Outcome<std::string> unpack_from(const Call& call, const Source& source,
                                                 const Store& store, const Facts& facts,
                                                 Tree& tree) const;

  Host host_;
  std::string acts_for_;
  Limits limits_;
};

}  // namespace quarry::resource_archive
