#pragma once

#include "ask/cited_sources.h"
#include "ask/question.h"
#include "base/error.h"

#include <quarry/events.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::engine {

// The lines between a process and its successor. A line with an unknown first word is ignored,
// since the two may be of different versions.
//
// To the successor:
//   question {"id", "bearer", "keepMs"}   there is this question
//   event ID TYPE JSON                    the next of its events, from the first
//   cited ID [{"citation", "firstLine", "lines"}]   what it cites, before its last event
//   known                                 every question of the beginning was named
// From the successor:
//   read ID, left ID                      it has readers, or none any more
//   stop ID REASON

/// A line: its first word, the id of a question, and the rest; empty where it has less.
struct Message {
  std::string_view word;
  std::string_view id;
  std::string_view rest;
};
/// "question" and "known" have no id: all after the word is the rest.
Message read_message(std::string_view line);

/// The value of "question", without its log.
struct QuestionHeader {
  std::string id;
  std::string bearer;
  std::chrono::milliseconds keep{0};  ///< see KnownQuestion
};
std::string question_line(const QuestionHeader& header);
Result<QuestionHeader> read_question_header(std::string_view json);

/// An event as a log takes it: the text of a delta, or JSON.
struct LoggedEvent {
  EventType type;
  std::string payload;
};
void add_event_line(std::string& out, std::string_view id, std::string_view type,
                    std::string_view json);
/// From the rest of "event".
Result<LoggedEvent> read_event(std::string_view type_and_json);

std::string cited_line(std::string_view id, const std::vector<ask::CitedSource>& sources);
Result<std::vector<ask::CitedSource>> read_cited(std::string_view json);

std::string stop_line(std::string_view id, ask::StopReason reason);
/// kAsked for an unknown one.
ask::StopReason read_reason(std::string_view word);

}  // namespace quarry::engine
