#include "corpus/query/passage_reranker.h"

#include <functional>
#include <string_view>
#include <utility>

namespace quarry::corpus {

std::string PassageReranker::key_of(const std::shared_ptr<Reranker>& reranker,
                                    const std::string& question,
                                    const std::vector<std::string>& passages) {
  std::string digests;
  for (const std::string& passage : passages) {
    digests += std::to_string(std::hash<std::string>()(passage)) + ' ';
  }
  const std::lock_guard lock(mutex_);
  if (latest_ != reranker) {
    latest_ = reranker;
    ++generation_;
  }
  return std::to_string(generation_) + ' ' + digests + question;
}

Result<std::vector<double>> PassageReranker::score(const std::string& question,
                                                   std::vector<std::string> passages,
                                                   const std::stop_token& stop) {
  std::shared_ptr<Reranker> reranker = current_();
  if (!reranker) return Error{Code::kUnavailable, "no reranker is configured any more"};
  const std::string key = key_of(reranker, question, passages);
  const auto deadline = std::chrono::steady_clock::now() + wait_;
  const auto awaited = calls_.begin(key, [reranker = std::move(reranker), question,
                                          texts = std::move(passages)](std::stop_token stopped) {
    const std::vector<std::string_view> documents(texts.begin(), texts.end());
    return reranker->score(question, documents, std::move(stopped));
  });
  if (!awaited) return awaited.error();
  auto scores = (*awaited)->wait(deadline, stop);
  if (!scores && scores.error().code == Code::kDeadlineExceeded) {
    return Error{Code::kDeadlineExceeded,
                 "the passages were not scored within " + std::to_string(wait_.count()) + " ms"};
  }
  return scores;
}

}  // namespace quarry::corpus
