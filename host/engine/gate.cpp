#include "engine/gate.h"

#include "services/workers.h"

namespace quarry::engine {

Error in_store(Error error) {
  return std::move(error).in("the store").tagged("StoreError");
}

Gate::Gate(access::Access::Parts parts) : parts_(std::move(parts)) {}

Gate::~Gate() {
  close();
}

Result<access::Access*> Gate::open() {
  if (!has_store()) {
    return Error{Code::kUnsupported, "this host has no store for projects and tokens",
                 "Set provider of [store] to one that \"quarry plugins list\" shows."}
        .tagged("ConfigError");
  }
  const std::lock_guard opening(open_mutex_);
  if (access::Access* const access = opened()) return access;
  auto made = access::Access::open(parts_);
  if (!made) return std::move(made).error();
  const std::lock_guard lock(mutex_);
  if (closing_) return Error{Code::kUnavailable, "the engine is shutting down"};
  access_ = std::move(*made);
  loop_ = std::make_unique<services::NamedLoop>("quarry-access", [this] { keep_current(); });
  return access_.get();
}

access::Access* Gate::opened() const {
  const std::lock_guard lock(mutex_);
  return access_.get();
}

Result<plugins::Store*> Gate::open_store() {
  if (const auto access = open(); !access) return access.error();
  return parts_.store.get();
}

Result<access::Principal> Gate::principal(const PrincipalRequest& asked, std::string_view right) {
  const auto access = open();
  if (!access) return access.error();
  return (*access)->principal(asked.token, asked.project, right);
}

void Gate::keep_current() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    wake_.wait_for(lock, access::Access::kTick, [this] { return closing_; });
    lock.unlock();
    access_->tick();
    lock.lock();
  }
}

void Gate::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  if (!loop_) return;
  loop_.reset();
  access_->tick();  // writes entries added during the last tick
}

}  // namespace quarry::engine
