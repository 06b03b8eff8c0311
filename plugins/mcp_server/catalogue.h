#pragma once

#include "call.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// Description and capabilities of a server.
struct Offer {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;   // for the model of the client
  bool tools_change = false;  // the list may change, and listeners are notified
  bool resources_change = false;
  bool resources_updated = false;  // a resource may change, and its subscribers are notified
  bool has_prompts = false;
  bool prompts_change = false;
  bool completes = false;
  std::chrono::milliseconds list_lifetime{0};  // time for which a client may cache a list
};

/// A list that has changed.
enum class Change { kTools, kResources, kPrompts };

/// The tools, resources and prompts of a server. Every function answers its call, now or later, and
/// uses it on the call's thread only (Call::post). [any]
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  [[nodiscard]] virtual const Offer& offer() const = 0;

  /// {"tools": […]}, in a fixed order.
  virtual void list_tools(std::shared_ptr<Call> call) = 0;
  /// {"content": […], "isError": …, …} of tools/call; `arguments` is an object of its params.
  virtual void call_tool(std::shared_ptr<Call> call, const std::string& name,
                         const Json& arguments) = 0;
  /// The properties of the tool's input schema; null if there is no such tool.
  [[nodiscard]] virtual std::shared_ptr<const Json> properties_of(std::string_view tool) const = 0;

  /// {"resources": […]}
  virtual void list_resources(std::shared_ptr<Call> call);
  /// {"contents": […]}
  virtual void read_resource(std::shared_ptr<Call> call, const std::string& uri);
  /// {"resourceTemplates": […]}
  virtual void list_templates(std::shared_ptr<Call> call);
  /// {"prompts": […]}
  virtual void list_prompts(std::shared_ptr<Call> call);
  /// {"messages": […]}
  virtual void get_prompt(std::shared_ptr<Call> call, const std::string& name,
                          const Json& arguments);
  /// {"completion": {"values": […]}}
  virtual void complete(std::shared_ptr<Call> call);

  /// Sets the callback for changed lists. Call before the first request.
  void on_change(std::function<void(Change)> callback) { on_change_ = std::move(callback); }

 protected:
  void changed(Change what) const {
    if (on_change_) on_change_(what);
  }

 private:
  std::function<void(Change)> on_change_;
};

/// The error for a missing resource; an empty result would mean that it is empty.
[[nodiscard]] Answer no_such_resource(Era era, std::string_view uri);

}  // namespace quarry::mcp
