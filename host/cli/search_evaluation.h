#pragma once

#include "base/error.h"
#include "base/json.h"
#include "cli/connection.h"
#include "corpus/query/evaluation.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace quarry::cli {

/// Called before each question, with how many have been asked.
using OnQuestion = std::function<void(std::size_t asked)>;

/// Searches for each question and returns the rank, from 1, of the first file that answers it; 0 if
/// none is found. `resources` are the "resources" of every call; if they are empty, a question with
/// a tree is asked of the resource of that name. With `words_only`, ranked by words alone. The
/// first error, which names the question.
Result<std::vector<std::uint32_t>> ranks_of_answers(
    std::span<const corpus::JudgedQuestion> questions, const std::vector<std::string>& resources,
    Connection& connection, const OnQuestion& on_question, bool words_only = false);

/// {"groups": [{"name", "questions", "hit1", "hit5", "hit10", "mrr"}, …], "ranks": [{"question",
/// "rank"}, …]}: each measure is {"value", "low", "high"}. The groups are all questions, and those
/// with the same split, kind, style, origin, language or tree, unless that are all.
Json evaluation_of(std::span<const corpus::JudgedQuestion> questions,
                   std::span<const std::uint32_t> ranks);

/// The groups of evaluation_of() as a table.
std::string evaluation_table(const Json& evaluation);

}  // namespace quarry::cli
