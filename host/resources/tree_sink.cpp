#include "resources/tree_sink.h"

#include "base/utf8.h"
#include "resources/disk_usage.h"
#include "resources/read_folder.h"

#include <quarry/limits.h>

#include <algorithm>

namespace quarry::resources {
namespace fs = std::filesystem;

namespace {

static_assert(corpus::PackLimits().path_bytes == QUARRY_LIMIT_PATH);
static_assert(corpus::PackLimits().depth == QUARRY_LIMIT_LEVELS);
static_assert(corpus::PackLimits().files == QUARRY_LIMIT_FILES);
static_assert(corpus::PackLimits().total_bytes == QUARRY_LIMIT_TEXT);

/// Ignore files in fetched content are not honoured: the resource type has already selected the
/// files.
constexpr corpus::PackRules kFetchedRules{
    .honour_ignore_files = false, .skip_dependencies = true, .skip_secrets = true};

Error mixed_error() {
  return {Code::kInternal, "the resource type both adds files and reads a folder in place"};
}

}  // namespace

Status TreeSink::keep(Status status) {
  if (!status && !failure_) failure_ = status.error();
  return status;
}

Status TreeSink::build() {
  if (building_) return {};
  auto building = store_.build();
  if (!building) return std::move(building).error();
  building_ = std::move(*building);
  return {};
}

Status TreeSink::begin() {
  if (in_place_) return mixed_error();
  if (stop_.stop_requested()) return Error{Code::kCancelled, "the fetch was cancelled"};
  if (writer_) return {};
  Status built = build();
  if (!built) return built;
  previous_ = find_previous_();
  auto writer = corpus::SnapshotWriter::create(building_->snapshot(), limits_, kFetchedRules,
                                               previous_ ? previous_->snapshot : nullptr);
  if (!writer) return std::move(writer).error();
  writer_ = std::move(*writer);
  return {};
}

Status TreeSink::add_file(std::string_view path, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  Status status = begin();
  if (status) status = add(path, bytes);
  return keep(std::move(status));
}

Status TreeSink::add(std::string_view path, std::string_view bytes) {
  constexpr std::uint64_t kLeastInterval = 2u << 20;
  if (bytes.size() > limits_.file_bytes) return writer_->add(path, bytes);  // listed, not kept
  added_ += bytes.size();
  // Each check counts every file, those of the scratch directory too: a large text has few checks.
  if (added_ - checked_at_ > std::max(kLeastInterval, added_ / 16)) {
    checked_at_ = added_;
    Status fits = space_.cover(written() + bytes.size());
    if (!fits) return fits;
  }
  return writer_->add(path, bytes);
}

Status TreeSink::add_described(std::string_view path, std::string_view bytes,
                               plugins::FileFacts facts) {
  const std::lock_guard lock(mutex_);
  Status status = begin();
  if (status) status = add(path, bytes);
  if (status) status = add_facts(path, std::move(facts));
  return keep(std::move(status));
}

Status TreeSink::add_facts(std::string_view path, plugins::FileFacts facts) {
  // A file with a longer path is left out; its facts would use up the limit of all.
  if (facts == plugins::FileFacts() || path.size() > limits_.path_bytes) return {};
  facts_bytes_ +=
      path.size() + facts.permalink.size() + facts.title.size() + facts.media_type.size();
  if (facts_bytes_ > QUARRY_LIMIT_FILE_FACTS) {
    return Error{Code::kResourceExhausted,
                 "the permalinks and titles of its files have more than 16 MiB",
                 "Fetch a part of the source."};
  }
  facts_.insert_or_assign(to_utf8(path), std::move(facts));
  return {};
}

Result<bool> TreeSink::keep_file(std::string_view path) {
  const std::lock_guard lock(mutex_);
  if (Status begun = begin(); !begun) return keep(std::move(begun)).error();
  if (!previous_) return false;
  const auto file = previous_->snapshot->find(path);
  if (!file) return false;
  const corpus::Segment& segment = previous_->snapshot->segment(*file);
  if (segment.kind(file->file) != corpus::FileKind::kText || !segment.check(file->file))
    return false;
  Status status = add(path, segment.text(file->file));
  const auto facts = previous_->metadata.facts.find(path);
  if (status && facts != previous_->metadata.facts.end()) status = add_facts(path, facts->second);
  if (status) return true;
  return keep(std::move(status)).error();
}

Status TreeSink::check_space() {
  const std::lock_guard lock(mutex_);
  Status fits = space_.cover(written());
  if (fits) fits = space_.check();
  return keep(std::move(fits));
}

std::uint64_t TreeSink::left_out() const {
  return left_out_ + (writer_ ? writer_->left_out() : 0);
}

Status TreeSink::add_large(std::string_view path, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  Status status = begin();
  if (status) status = writer_->list(path, corpus::FileKind::kTooLarge, size);
  return keep(std::move(status));
}

Status TreeSink::add_link(std::string_view path) {
  const std::lock_guard lock(mutex_);
  Status status = begin();
  if (status) status = writer_->list(path, corpus::FileKind::kLink, 0);
  return keep(std::move(status));
}

Status TreeSink::add_directory(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  Status status = begin();
  if (status) status = read_folder(directory);
  return keep(std::move(status));
}

Status TreeSink::read_folder(const fs::path& directory) {
  if (!directory.is_absolute()) {
    return Error{Code::kInternal, "the resource type adds a relative directory"};
  }
  corpus::PackRules rules = kFetchedRules;
  rules.skip_secrets = false;  // the writer omits and counts them
  const auto left_out = resources::read_folder(
      directory, rules, limits_, stop_,
      [&](std::string_view path, std::string_view bytes) { return add(path, bytes); });
  if (!left_out) return left_out.error();
  left_out_ += *left_out;
  return {};
}

Status TreeSink::use_in_place(const fs::path& directory) {
  const std::lock_guard lock(mutex_);
  if (writer_) return keep(mixed_error());
  in_place_ = directory;
  return {};
}

Result<std::string_view> TreeSink::scratch() {
  const std::lock_guard lock(mutex_);
  Status status = build();
  if (!status) return keep(std::move(status)).error();
  if (scratch_.empty()) {
    auto made = building_->scratch();
    if (!made) return keep(std::move(made).error()).error();
    scratch_ = made->string();
  }
  return std::string_view(scratch_);
}

bool TreeSink::restart() {
  const std::lock_guard lock(mutex_);
  if (failure_) return false;
  writer_.reset();
  building_.reset();
  previous_.reset();
  scratch_.clear();
  in_place_.reset();
  facts_.clear();
  facts_bytes_ = added_ = checked_at_ = left_out_ = 0;
  return true;
}

std::uint64_t TreeSink::written() const {
  return building_ ? disk_usage(building_->path()) : 0;
}

Result<const WorkDirectory*> TreeSink::finish() {
  Status begun = begin();
  if (!begun) return std::move(begun).error();
  const auto snapshot = writer_->finish();
  if (!snapshot) return snapshot.error();
  scip_problem_ = corpus::scip_problem(**snapshot);
  return building_.get();
}

}  // namespace quarry::resources
