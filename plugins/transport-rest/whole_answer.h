#pragma once

#include "follower.h"

#include <string>

namespace quarry::rest {

/// The response to POST /question: one object, composed from all of the question's events.
class WholeAnswer final : public Follower {
 public:
  using Follower::Follower;

 private:
  void begun(const std::string& id) override { id_ = id; }
  void visit(const quarry_event& event) override;
  void caught_up(bool ended) override;

  std::string id_;
  std::string meta_;
  std::string done_;
  std::string failure_;
};

}  // namespace quarry::rest
