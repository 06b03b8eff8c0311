#pragma once

#include "engine_client/failure.h"
#include "mcp_server/call.h"
#include "mcp_server/json.h"

#include <string>
#include <string_view>

namespace quarry::transport_mcp {

/// Limit of a result, so that it stays under 25,000 tokens: clients truncate or refuse larger ones.
/// A token of plain text has four bytes, one of dense text three.
inline constexpr std::size_t kMostBytes = 72'000;

/// The member of _meta with which a caller of MCP asks for the structured content of retrieval
/// tools, and for the schemas of it. Clients give their models nothing else where it is present, so
/// that those who do not ask get the text alone.
inline constexpr std::string_view kMetaStructured = "quarry/structured";

/// True if the caller asked for structured content, or makes a bare call.
[[nodiscard]] bool wants_structure(const mcp::Call& call);

/// The result of a retrieval tool from the engine's value, whose text is the content.
[[nodiscard]] mcp::Answer result_of_page(mcp::Json page, bool structured);

/// The answer without its structured content, if it is a result.
[[nodiscard]] mcp::Answer without_structure(mcp::Answer answer);

/// The result of a successful tool call: `structured` and the same as text.
[[nodiscard]] mcp::Answer result_of(const mcp::Json& structured);

/// The result of `ask` from the data of a `done` event: the answer's text first, the other members
/// after it. An answer that is too long is truncated, with a note how to get the rest.
[[nodiscard]] mcp::Answer result_of_ask(std::string_view done);

/// The engine's {"resources": […]}, with as many as fit.
[[nodiscard]] mcp::Answer result_of_list(std::string_view listed);

/// The result of a failed tool call: text for the client's model, and {tag, message, hint}.
[[nodiscard]] mcp::Answer failure_of(const engine_client::Failure& failure);

/// The same for a question that was not accepted; with retry_after if there are too many.
[[nodiscard]] mcp::Answer refusal_of(const engine_client::Failure& failure);

/// A JSON-RPC error, for methods whose results have no isError.
[[nodiscard]] mcp::Answer error_of(const engine_client::Failure& failure);

}  // namespace quarry::transport_mcp
