#pragma once

#include "ask/answer.h"
#include "ask/model.h"
#include "ask/question.h"
#include "ask/tool_names.h"
#include "ask/wanted_resource.h"
#include "services/tracer.h"

#include <cstdint>
#include <memory>
#include <string_view>

// The spans of a question and of what it consists of. Each function costs a comparison where
// nothing is recorded.

namespace quarry::ask {

/// The span of a question, beneath that of its request.
services::RunningSpan question_span(const Request& request);
/// The ids in lines about a question, whose span is `span`.
std::shared_ptr<const services::LogSubject> question_subject(const Request& request,
                                                             const services::RunningSpan& span);
/// What is known about a question when it has ended.
struct QuestionEnd {
  const Result<std::string>& outcome;  ///< the finish reason
  const plugins::Usage& usage;         ///< of all steps
  const Candidate& model;              ///< that was asked last
  const EventLog& log;
};
void end_question_span(services::RunningSpan& span, const QuestionEnd& end);

/// The span of step `number`, from 1; `max_tokens` of output, 0 = no limit.
services::RunningSpan step_span(const services::SpanParent& question, const Candidate& model,
                                std::uint32_t number, std::int64_t max_tokens);
void end_step_span(services::RunningSpan& span, const Step& step, Clock::Steady begun);

/// The span of a tool that a model uses. A name that none of `tools` has is not recorded.
services::RunningSpan tool_span(const services::SpanParent& question, const ToolCall& call,
                                std::string_view arguments, const ToolNames& tools);
void end_tool_span(services::RunningSpan& span, const Result<ToolResult>& result);

/// The span of the preparation of a resource.
services::RunningSpan resource_span(const services::SpanParent& parent,
                                    const WantedResource& wanted);

}  // namespace quarry::ask
