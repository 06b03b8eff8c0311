#pragma once

#include "catalogue.h"
#include "listeners.h"

#include <memory>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// The methods of the protocol: looks up a call's method in its era, checks the params by the
/// protocol's rules, and answers or calls the catalogue.
class Methods {
 public:
  /// `catalogue` must outlive this.
  explicit Methods(Catalogue& catalogue);

  /// Answers `call`, now or later.
  void run(const std::shared_ptr<Call>& call, bool over_http);
  [[nodiscard]] Listeners& listeners() { return listeners_; }

 private:
  struct Row;
  static const Row* find_row(std::string_view method, Era era, const Offer& offer);

  void initialize(const std::shared_ptr<Call>& call);
  void ping(const std::shared_ptr<Call>& call);
  void set_level(const std::shared_ptr<Call>& call);
  void discover(const std::shared_ptr<Call>& call);
  void list_tools(const std::shared_ptr<Call>& call);
  void call_tool(const std::shared_ptr<Call>& call);
  void list_resources(const std::shared_ptr<Call>& call);
  void read_resource(const std::shared_ptr<Call>& call);
  void list_templates(const std::shared_ptr<Call>& call);
  void watch_resource(const std::shared_ptr<Call>& call);
  void list_prompts(const std::shared_ptr<Call>& call);
  void get_prompt(const std::shared_ptr<Call>& call);
  void complete(const std::shared_ptr<Call>& call);
  void listen(const std::shared_ptr<Call>& call);

  Catalogue& catalogue_;
  Listeners listeners_;
};

/// The whole response message; in the modern era with the members that every result has.
[[nodiscard]] std::string render(const Call& call, const Answer& answer, const Offer& offer);

}  // namespace quarry::mcp
