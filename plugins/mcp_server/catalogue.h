#pragma once

#include "call.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace quarry::mcp {

/// What a server says of itself.
struct Offer {
  std::string name;
  std::string title;
  std::string version;
  std::string instructions;   // for the model of the client
  bool tools_change = false;  // the list may, and listeners are told
  bool resources_change = false;
  bool resources_updated = false;  // one may, and its subscribers are told
  bool has_prompts = false;
  bool prompts_change = false;
  bool completes = false;
  std::chrono::milliseconds list_lifetime{0};  // for which a client may keep a list
};

/// A list that has changed.
enum class Change { kTools, kResources, kPrompts };

/// What a server offers: the part of MCP that is not protocol. Every function answers its call,
/// now or later, and calls it on its own thread only (Call::post). [any]
class Catalogue {
 public:
  virtual ~Catalogue() = default;

  [[nodiscard]] virtual const Offer& offer() const = 0;

  /// {"tools": […]}, in a fixed order.
  virtual void list_tools(std::shared_ptr<Call> call) = 0;
  /// {"content": […], "isError": …, …} of tools/call; `arguments` is an object of its params.
  virtual void call_tool(std::shared_ptr<Call> call, const std::string& name,
                         const Json& arguments) = 0;
  /// The properties of that tool's input schema; null when there is no such tool.
  [[nodiscard]] virtual const Json* properties_of(std::string_view tool) const = 0;

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

  /// What to do when a list has changed. Before the first call.
  void on_change(std::function<void(Change)> told) { told_ = std::move(told); }

 protected:
  void changed(Change what) const {
    if (told_) told_(what);
  }

 private:
  std::function<void(Change)> told_;
};

/// The answer to a resource that is not there: an empty result would say that it is empty.
[[nodiscard]] Answer no_such_resource(Era era, std::string_view uri);

}  // namespace quarry::mcp
