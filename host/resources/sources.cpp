#include "resources/sources.h"

#include <algorithm>
#include <vector>

namespace quarry::resources {

std::shared_ptr<const Stored> Source::stored() const {
  std::lock_guard lock(mutex_);
  return stored_;
}

Result<Leased> Source::lease(Store& store) {
  std::lock_guard lock(mutex_);
  if (!stored_) return Error{Code::kNotFound, "no snapshot is open"};
  if (stored_->snapshot->is_damaged()) {
    stored_ = nullptr;
    return Error{Code::kNotFound, "the snapshot that was open is damaged"};
  }
  if (auto shared = lock_.lock()) return Leased{stored_, std::move(shared)};
  auto leased = store.lease(stored_);
  if (leased) {
    lock_ = leased->lock;
  } else {
    stored_ = nullptr;
  }
  return leased;
}

bool Source::adopt(const Leased& leased) {
  std::lock_guard lock(mutex_);
  const bool other = stored_ != leased.stored;
  stored_ = leased.stored;
  lock_ = leased.lock;
  return other;
}

bool Source::adopt_first(const Leased& leased) {
  std::lock_guard lock(mutex_);
  if (stored_) return false;
  stored_ = leased.stored;
  lock_ = leased.lock;
  return true;
}

void Source::note_asked(const Json& resource, const PrepareOptions& prepare_options) {
  const std::lock_guard lock(mutex_);
  if (!asked_) asked_ = Asked{resource, prepare_options};
}

std::optional<Source::Asked> Source::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void Source::forget_if_gone() {
  std::shared_ptr<const Stored> gone;  // closed after the mutex is free
  std::lock_guard lock(mutex_);
  if (stored_ && !std::filesystem::exists(stored_->snapshot->directory())) gone.swap(stored_);
}

void Source::note_folder(const std::filesystem::path& root) {
  const std::lock_guard lock(mutex_);
  folder_root_ = root;
}

bool Source::folder_is_gone() const {
  std::filesystem::path root;
  {
    const std::lock_guard lock(mutex_);
    root = folder_root_;
  }
  std::error_code ignored;  // a folder that cannot be looked at may still be there
  return !root.empty() &&
         std::filesystem::status(root, ignored).type() == std::filesystem::file_type::not_found;
}

std::shared_ptr<Source> Sources::get(const std::string& key) {
  std::shared_ptr<Source> dropped;  // closed after the mutex is free
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[key];
  entry.used = ++uses_;
  if (!entry.source) entry.source = std::make_shared<Source>();
  auto source = entry.source;
  if (entries_.size() > capacity_) dropped = drop_oldest();
  return source;
}

std::shared_ptr<Source> Sources::drop_oldest() {
  const auto oldest =
      std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry.second.used; });
  auto source = std::move(oldest->second.source);
  entries_.erase(oldest);
  return source;
}

std::vector<std::shared_ptr<Source>> Sources::all() {
  std::vector<std::shared_ptr<Source>> sources;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_) sources.push_back(entry.source);
  return sources;
}

void Sources::forget_gone() {
  for (const auto& source : all()) source->forget_if_gone();
}

void Sources::forget_gone_folders() {
  if (looks_wanted_.fetch_add(1) > 0) return;  // the thread that looks now will look again
  for (bool wanted = true; wanted;) {
    const unsigned answered = looks_wanted_.load();
    for (const auto& source : all()) {
      if (source->folder_is_gone()) remove(source);
    }
    wanted = looks_wanted_.fetch_sub(answered) != answered;
  }
}

void Sources::remove(const std::shared_ptr<Source>& source) {
  const std::lock_guard lock(mutex_);
  std::erase_if(entries_, [&](const auto& entry) { return entry.second.source == source; });
}

std::vector<std::shared_ptr<Source>> Sources::holding(std::string_view name) {
  std::vector<std::shared_ptr<Source>> found;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    const auto stored = entry.source->stored();
    if (stored && stored->name == name) found.push_back(entry.source);
  }
  return found;
}

void Sources::forget(std::string_view prefix) {
  std::vector<std::shared_ptr<Source>> forgotten;  // closed after the mutex is free
  std::lock_guard lock(mutex_);
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const bool meant = entry->first.starts_with(prefix);
    if (meant) forgotten.push_back(std::move(entry->second.source));
    entry = meant ? entries_.erase(entry) : std::next(entry);
  }
}

}  // namespace quarry::resources
