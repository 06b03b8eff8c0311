#pragma once

#include "mcp_server/access.h"
#include "mcp_server/catalogue.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace quarry::mcp::testing {

/// The tokens "alice", "bob" and "operator" are of principals with these names; the last has only
/// the right to metrics. Thread-safe.
class FakeAccess final : public Access {
 public:
  void admit(const Credentials& credentials, bool count, Admitted done) override;
  void open_session(const std::string& principal, std::function<void(std::string)> done) override;
  void check_session(const std::string& principal, const std::string& session,
                     std::function<void(bool)> done) override;
  void end_session(const std::string& principal, const std::string& session,
                   std::function<void(bool)> done) override;
  void record(const Record& record) override;

  void revoke(const std::string& token);
  /// Admits `requests` more counted requests and no further ones.
  void allow(int requests);
  [[nodiscard]] int counted() const;
  /// Delays answers until release_answers, which calls them on another thread.
  void hold_answers();
  void release_answers();
  /// From now on every token has reached its request limit.
  void exhaust();
  /// From now on no token can be checked.
  void become_unavailable();
  [[nodiscard]] std::vector<Record> records() const;
  /// From now on wrong tokens are refused without a check.
  void refuse_guesses();
  /// Peer of the last admission.
  [[nodiscard]] std::string sender() const;

 private:
  mutable std::mutex mutex_;
  std::set<std::string> tokens_{"alice", "bob", "operator"};
  std::set<std::string> sessions_;
  std::vector<Record> records_;
  int opened_ = 0;
  bool exhausted_ = false;
  bool unavailable_ = false;
  int counted_ = 0;
  int allowed_ = 1'000'000'000;
  bool holds_ = false;
  std::vector<std::function<void()>> held_;
  bool refuses_guesses_ = false;
  std::string sender_;
};

/// Tools: "echo" returns its arguments; "wait" answers when the test calls release; "refuse" is
/// refused for now. Thread-safe.
class FakeCatalogue final : public Catalogue {
 public:
  FakeCatalogue();
  [[nodiscard]] const Offer& offer() const override { return offer_; }
  void list_tools(std::shared_ptr<Call> call) override;
  void call_tool(std::shared_ptr<Call> call, const std::string& name,
                 const Json& arguments) override;
  [[nodiscard]] std::shared_ptr<const Json> properties_of(std::string_view tool) const override;

  /// Calls of "wait" that are neither answered nor ended.
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::vector<End> ends() const;
  /// Answers the calls of "wait".
  void release();
  void progress(double done, std::string message);
  using Catalogue::changed;

 private:
  Offer offer_;
  std::map<std::string, Json, std::less<>> tools_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Call>> waiting_;
  std::vector<End> ends_;
};

}  // namespace quarry::mcp::testing
