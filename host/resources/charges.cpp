#include "resources/charges.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace quarry::resources {

std::shared_ptr<Charge> Charges::take(Leased leased) {
  return std::make_shared<Charge>(*this, std::move(leased));
}

void Charges::let_go(std::string_view prefix) {
  std::vector<Leased> gone;  // closed after the mutex is free
  std::unique_lock lock(mutex_);
  const auto is_meant = [&](const Charge* charge) {
    return charge->leased_.stored && charge->leased_.stored->name.starts_with(prefix);
  };
  for (Charge* const charge : charges_) {
    if (!is_meant(charge)) continue;
    charge->stop_.request_stop();
    if (!charge->working_) gone.push_back(std::exchange(charge->leased_, {}));
  }
  ended_.wait(lock, [&] { return std::ranges::none_of(charges_, is_meant); });
}

Charge::Charge(Charges& owner, Leased leased) : owner_(owner), leased_(std::move(leased)) {
  const std::lock_guard lock(owner_.mutex_);
  owner_.charges_.insert(this);
}

Charge::~Charge() {
  end();
  const std::lock_guard lock(owner_.mutex_);
  owner_.charges_.erase(this);
}

bool Charge::begin() {
  const std::lock_guard lock(owner_.mutex_);
  working_ = leased_.stored != nullptr;
  return working_;
}

void Charge::end() {
  const std::lock_guard lock(owner_.mutex_);
  leased_ = {};
  working_ = false;
  owner_.ended_.notify_all();
}

}  // namespace quarry::resources
