#pragma once

#include "resource-archive/download.h"
#include "resource-archive/source.h"
#include "resource-archive/unpack.h"

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
  [[nodiscard]] Outcome<package_source::FileSlot> open_store(const Call& call, const Source& source,
                                                             const Credentials& credentials,
                                                             std::string_view scratch) const;
  [[nodiscard]] Outcome<package_source::FileFacts> get(
      const Call& call, const Source& source, const Credentials& credentials,
      package_source::FileSlot& store, const package_source::Validators& known) const;
  [[nodiscard]] Outcome<std::string> resolve_by(const Call& call, const Source& source,
                                                const Credentials& credentials,
                                                package_source::FileSlot& store,
                                                std::string_view last) const;
  /// Makes sure that the store has the archive with this digest.
  [[nodiscard]] Outcome<package_source::FileFacts> provide(const Call& call, const Source& source,
                                                           const Credentials& credentials,
                                                           package_source::FileSlot& store,
                                                           const std::string& digest) const;
  [[nodiscard]] Outcome<std::string> unpack_from(const Call& call, const Source& source,
                                                 package_source::FileSlot& store,
                                                 const package_source::FileFacts& facts,
                                                 Tree& tree) const;

  Host host_;
  std::string acts_for_;
  Limits limits_;
};

}  // namespace quarry::resource_archive
