#pragma once

#include "base/json_member.h"
#include "corpus/tools/page_text.h"
#include "corpus/tools/retrieval.h"

#include <string>

#include <nlohmann/json.hpp>

namespace quarry::corpus {

/// The page of a tool as text, as the model of a question gets it.
inline Result<std::string> text_page(Retrieve tool, const Collection& collection,
                                     const Json& arguments, Executor& executor,
                                     std::stop_token stop = {}, SymbolAnalyser* symbols = nullptr) {
  auto page = tool({.collection = collection,
                    .facts = {},
                    .executor = executor,
                    .stop = std::move(stop),
                    .symbols = symbols,
                    .form = PageForm::kText,
                    .default_tokens = kQuestionTokens},
                   arguments);
  if (!page) return std::move(page).error();
  finish_text(*page, false);
  return text_of(*page, "text");
}

}  // namespace quarry::corpus
