#pragma once

#include "engine_client/failure.h"
#include "mcp_server/call.h"
#include "mcp_server/json.h"

#include <string>
#include <string_view>

namespace quarry::transport_mcp {

/// The most bytes of a result, so that it stays under 25,000 tokens: clients cut or refuse what is
/// larger. A token of plain text has four bytes, one of dense text three.
inline constexpr std::size_t kMostBytes = 72'000;

/// The result of a tool that succeeded: `structured` as such and as the text of its own.
[[nodiscard]] mcp::Answer result_of(const mcp::Json& structured);

/// The same of `ask`, made of the data of a `done` event: the answer's text stands alone, what
/// belongs to it behind. An answer that is too long is cut and says how to go on.
[[nodiscard]] mcp::Answer result_of_ask(std::string_view done);

/// {"resources": […]} of the engine, with as many as fit.
[[nodiscard]] mcp::Answer result_of_list(std::string_view listed);

/// A tool that failed: what the model of the client reads, and {tag, hint}.
[[nodiscard]] mcp::Answer failure_of(const engine_client::Failure& failure);

/// The same of a question that was not accepted: refused for now when there are too many.
[[nodiscard]] mcp::Answer refusal_of(const engine_client::Failure& failure);

/// The same for methods whose results cannot say that they failed.
[[nodiscard]] mcp::Answer error_of(const engine_client::Failure& failure);

}  // namespace quarry::transport_mcp
