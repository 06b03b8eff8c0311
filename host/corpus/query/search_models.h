#pragma once

#include <memory>

namespace quarry::corpus {

class PassageReranker;
class QuestionEncoder;

/// What ranks passages besides their words. Either may be null.
struct SearchModels {
  std::shared_ptr<QuestionEncoder> encoder = nullptr;
  std::shared_ptr<PassageReranker> reranker = nullptr;
};

}  // namespace quarry::corpus
