#pragma once

#include <string_view>

/// The names of spans and of their attributes: those of OpenTelemetry's semantic conventions for
/// generative AI (1.41, in development) where there are some, else with the prefix "quarry.".
namespace quarry::services::span_names {

// Operations, each also the first word of a span's name.
inline constexpr std::string_view kInvokeAgent = "invoke_agent";  ///< a question
inline constexpr std::string_view kChat = "chat";                 ///< a model step
inline constexpr std::string_view kExecuteTool = "execute_tool";
inline constexpr std::string_view kEmbeddings = "embeddings";
inline constexpr std::string_view kRerank = "rerank";  ///< not in the conventions
/// A resource that a question or a call prepares; not an operation of the conventions.
inline constexpr std::string_view kPrepareResource = "prepare_resource";

inline constexpr std::string_view kOperation = "gen_ai.operation.name";
inline constexpr std::string_view kProvider = "gen_ai.provider.name";
inline constexpr std::string_view kAgent = "gen_ai.agent.name";
inline constexpr std::string_view kConversation = "gen_ai.conversation.id";
inline constexpr std::string_view kModel = "gen_ai.request.model";
inline constexpr std::string_view kMaxTokens = "gen_ai.request.max_tokens";
inline constexpr std::string_view kFinishReasons = "gen_ai.response.finish_reasons";
inline constexpr std::string_view kFirstChunk = "gen_ai.response.time_to_first_chunk";  ///< in s
inline constexpr std::string_view kInputTokens = "gen_ai.usage.input_tokens";
inline constexpr std::string_view kOutputTokens = "gen_ai.usage.output_tokens";
inline constexpr std::string_view kReasoningTokens = "gen_ai.usage.reasoning.output_tokens";
inline constexpr std::string_view kCacheReadTokens = "gen_ai.usage.cache_read.input_tokens";
inline constexpr std::string_view kCacheWriteTokens = "gen_ai.usage.cache_creation.input_tokens";
inline constexpr std::string_view kTool = "gen_ai.tool.name";
inline constexpr std::string_view kToolType = "gen_ai.tool.type";
inline constexpr std::string_view kToolCall = "gen_ai.tool.call.id";
inline constexpr std::string_view kErrorType = "error.type";

inline constexpr std::string_view kMethod = "rpc.method";
inline constexpr std::string_view kQuestion = "quarry.question.id";
inline constexpr std::string_view kOutcome = "quarry.question.outcome";
inline constexpr std::string_view kStep = "quarry.step";
inline constexpr std::string_view kResourceType = "quarry.resource.type";

// Content: recorded only where the configuration says so.
inline constexpr std::string_view kInputMessages = "gen_ai.input.messages";
inline constexpr std::string_view kOutputMessages = "gen_ai.output.messages";
inline constexpr std::string_view kToolArguments = "gen_ai.tool.call.arguments";
inline constexpr std::string_view kToolResult = "gen_ai.tool.call.result";
inline constexpr std::string_view kResourceName = "quarry.resource.name";

}  // namespace quarry::services::span_names
