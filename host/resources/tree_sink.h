#pragma once

#include "corpus/pack.h"
#include "plugins/resource_type.h"
#include "resources/space.h"
#include "resources/store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace quarry::resources {

/// Takes the files of one fetch into a new snapshot, or the folder to read where it is. One thread
/// at a time.
class TreeSink final : public plugins::Tree {
 public:
  /// Finds the state before, null when there is none; asked when the first file comes.
  using FindPrevious = std::function<std::shared_ptr<const corpus::Snapshot>()>;
  /// What is referred to must outlive the sink. What is in the state before already is not written
  /// again.
  TreeSink(Store& store, Space::Reservation& space, corpus::PackLimits limits,
           FindPrevious previous, std::stop_token stop)
      : store_(store),
        space_(space),
        limits_(limits),
        previous_(std::move(previous)),
        stop_(std::move(stop)) {}

  Status add_file(std::string_view path, std::string_view bytes) override;
  Status add_directory(const std::filesystem::path& directory) override;
  [[nodiscard]] std::uint64_t file_limit() const override { return limits_.file_bytes; }
  Status add_large(std::string_view path, std::uint64_t size) override;
  Status add_link(std::string_view path) override;
  Status use_in_place(const std::filesystem::path& directory) override;
  Result<std::string_view> scratch() override;

  /// The first failure of a call above: what made the fetch fail, whatever the plugin says.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] const std::optional<std::filesystem::path>& in_place() const { return in_place_; }
  /// What the files added so far take on the disk, bytes.
  [[nodiscard]] std::uint64_t written() const;
  /// How many paths were left out since they are too long or too deep.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Looks whether the files so far, and what the plugin wrote beside them, fit into the cache.
  Status check_space();
  /// Files that were added and left out, since they look like secrets.
  [[nodiscard]] std::uint32_t secrets() const { return writer_ ? writer_->secrets() : 0; }
  /// Writes the snapshot from what was added; it is then ready to be published.
  Result<const WorkDirectory*> finish();

 private:
  Status keep(Status status);
  Status begin();
  Status build();
  Status read_folder(const std::filesystem::path& directory);
  Status add(std::string_view path, std::string_view bytes);

  Store& store_;
  Space::Reservation& space_;
  corpus::PackLimits limits_;
  FindPrevious previous_;
  std::stop_token stop_;
  std::unique_ptr<WorkDirectory> building_;
  std::unique_ptr<corpus::SnapshotWriter> writer_;
  std::string scratch_;
  std::optional<std::filesystem::path> in_place_;
  std::optional<Error> failure_;
  std::uint64_t added_ = 0;      // bytes
  std::uint64_t looked_at_ = 0;  // so many when it was last looked at the space
  std::uint64_t left_out_ = 0;   // directories; the writer counts files
};

}  // namespace quarry::resources
