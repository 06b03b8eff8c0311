#pragma once

#include "corpus/snapshot/pack.h"
#include "plugins/resource_type.h"
#include "resources/space.h"
#include "resources/store.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

namespace quarry::resources {

/// Receives the files of one fetch into a new snapshot, or the folder to read in place. Facts of
/// files are kept up to QUARRY_LIMIT_FILE_FACTS. The functions of plugins::Tree and check_space are
/// thread-safe.
class TreeSink final : public plugins::Tree {
 public:
  /// Finds the previous state, null if none; called for the first file.
  using FindPrevious = std::function<std::shared_ptr<const Stored>()>;
  /// Referenced objects must outlive the sink. Files contained in the previous state are not
  /// written again.
  TreeSink(Store& store, Space::Reservation& space, corpus::PackLimits limits,
           FindPrevious previous, std::stop_token stop)
      : store_(store),
        space_(space),
        limits_(limits),
        find_previous_(std::move(previous)),
        stop_(std::move(stop)) {}

  Status add_file(std::string_view path, std::string_view bytes) override;
  Status add_described(std::string_view path, std::string_view bytes,
                       plugins::FileFacts facts) override;
  Result<bool> keep_file(std::string_view path) override;
  Status add_directory(const std::filesystem::path& directory) override;
  [[nodiscard]] std::uint64_t file_limit() const override { return limits_.file_bytes; }
  Status add_large(std::string_view path, std::uint64_t size) override;
  Status add_link(std::string_view path) override;
  Status use_in_place(const std::filesystem::path& directory) override;
  Result<std::string_view> scratch() override;
  bool restart() override;

  /// First failure of a call above: the cause of a failed fetch, regardless of the plugin's error.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] const std::optional<std::filesystem::path>& in_place() const { return in_place_; }
  /// Bytes that the files added so far take on the disk.
  [[nodiscard]] std::uint64_t written() const;
  /// Number of paths omitted because they are too long or too deep.
  [[nodiscard]] std::uint64_t left_out() const;
  /// Checks that the files so far and the plugin's unfinished cache entries fit into the cache.
  Status check_space();
  /// Number of added files omitted because they look like secrets.
  [[nodiscard]] std::uint32_t secrets() const { return writer_ ? writer_->secrets() : 0; }
  /// After finish(): see corpus::scip_problem().
  [[nodiscard]] const std::string& scip_problem() const { return scip_problem_; }
  /// Facts about the added files.
  [[nodiscard]] plugins::FactsByPath take_facts() { return std::move(facts_); }
  /// Writes the snapshot of the added files, ready to be published.
  Result<const WorkDirectory*> finish();

 private:
  Status keep(Status status);
  Status begin();
  Status build();
  Status read_folder(const std::filesystem::path& directory);
  Status add(std::string_view path, std::string_view bytes);
  Status add_facts(std::string_view path, plugins::FileFacts facts);

  std::mutex mutex_;
  Store& store_;
  Space::Reservation& space_;
  corpus::PackLimits limits_;
  FindPrevious find_previous_;
  std::shared_ptr<const Stored> previous_;
  std::stop_token stop_;
  std::unique_ptr<WorkDirectory> building_;
  std::unique_ptr<corpus::SnapshotWriter> writer_;
  std::string scratch_;
  std::optional<std::filesystem::path> in_place_;
  std::optional<Error> failure_;
  std::uint64_t added_ = 0;       // bytes
  std::uint64_t checked_at_ = 0;  // `added_` at the last check of the space
  std::uint64_t left_out_ = 0;    // directories; the writer counts files
  std::string scip_problem_;
  plugins::FactsByPath facts_;
  std::size_t facts_bytes_ = 0;
};

}  // namespace quarry::resources
