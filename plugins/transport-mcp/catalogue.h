#pragma once

#include "engine_client/engine_calls.h"
#include "mcp_resources.h"
#include "mcp_server/catalogue.h"
#include "tools.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace quarry::transport_mcp {

/// Quarry's tools, and its configured resources as resources of MCP.
class Catalogue final : public mcp::Catalogue {
 public:
  /// Asks the engine for the schemas of its methods, and again for each list of tools. `calls` must
  /// outlive this. `version` is the host's. [control]
  Catalogue(engine_client::EngineCalls& calls, std::string version);

  [[nodiscard]] const mcp::Offer& offer() const override { return offer_; }
  void list_tools(std::shared_ptr<mcp::Call> call) override;
  void call_tool(std::shared_ptr<mcp::Call> call, const std::string& name,
                 const mcp::Json& arguments) override;
  [[nodiscard]] std::shared_ptr<const mcp::Json> properties_of(
      std::string_view tool) const override;
  void list_resources(std::shared_ptr<mcp::Call> call) override;
  void read_resource(std::shared_ptr<mcp::Call> call, const std::string& uri) override;

 private:
  /// Made from one value of the engine's method "schemas".
  struct Described {
    Described(std::string schemas_text, const mcp::Json& schemas, const mcp::Json& methods,
              const mcp::Json& retrieval)
        : text(std::move(schemas_text)),
          tools(schemas, methods, retrieval),
          fields(source_fields(schemas)),
          type_fields(fields_of_types(schemas)) {}
    /// True if the type that `arguments` name has the field.
    [[nodiscard]] bool is_field(const mcp::Json& arguments, const std::string& name) const;
    /// The arguments without those that clients add and the tool does not know.
    [[nodiscard]] mcp::Json without_additions(const Tool& tool, mcp::Json arguments) const;

    std::string text;
    Tools tools;
    SourceFields fields;
    TypeFields type_fields;
  };
  [[nodiscard]] std::shared_ptr<const Described> described() const;
  /// The same for the value `schemas`, which differs once types of resources were loaded or
  /// removed.
  std::shared_ptr<const Described> described_by(const std::string& schemas);

  using Answers = std::function<mcp::Answer(const engine_client::Outcome&)>;
  /// Calls the engine and answers `call` with the result that `answers` derives from the outcome.
  /// With `long_running`, announces long work to the client, and cancels the engine's call when
  /// `call` ends.
  void ask_engine(const std::shared_ptr<mcp::Call>& call, std::string_view method,
                  const mcp::Json& params, Answers answers, bool long_running = false);
  void add_resource(const std::shared_ptr<mcp::Call>& call, const mcp::Json& arguments,
                    mcp::Json principal, const Described& now);
  void question(const std::shared_ptr<mcp::Call>& call, const mcp::Json& arguments,
                mcp::Json principal);
  /// Calls a retrieval tool.
  void retrieve(const std::shared_ptr<mcp::Call>& call, const std::string& method,
                const mcp::Json& arguments, mcp::Json principal);

  engine_client::EngineCalls& calls_;
  const std::string methods_;    ///< value of the engine's method "methods"
  const std::string retrieval_;  ///< value of the engine's method "tools"
  mutable std::mutex mutex_;
  std::shared_ptr<const Described> described_;
  mcp::Offer offer_;
};

}  // namespace quarry::transport_mcp
