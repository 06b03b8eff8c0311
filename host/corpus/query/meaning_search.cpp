#include "corpus/query/meaning_search.h"

#include "corpus/query/dense_search.h"
#include "corpus/query/fusion.h"
#include "corpus/query/model_note.h"

namespace quarry::corpus {
namespace {

/// "1,200".
std::string grouped(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// Empty without an encoder.
std::string identity_of(const QuestionEncoder* questions) {
  const auto encoder = questions == nullptr ? nullptr : questions->encoding().encoder();
  return encoder ? encoder->identity() : "";
}

}  // namespace

MeaningSearch::MeaningSearch(QuestionEncoder* encoder, const SearchQuery& query)
    : encoder_(query.words_only ? nullptr : encoder),
      words_(query.words),
      identity_(identity_of(encoder_)),
      vector_file_(identity_.empty() ? "" : vector_file_name(identity_)) {}

void MeaningSearch::count(std::span<const Shard> shards,
                          std::span<const std::shared_ptr<const VectorIndex>> vectors) {
  done_ = 0;
  total_ = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    total_ += shards[i].table->passage_count();
    if (vectors[i]) done_ += vectors[i]->done();
  }
}

bool MeaningSearch::begin(bool by_words, std::span<const Shard> shards,
                          std::span<const std::shared_ptr<const VectorIndex>> vectors) {
  if (!is_configured()) return false;
  count(shards, vectors);
  if (done_ == 0 || by_words) return false;
  shards_ = shards;
  vectors_ = vectors;
  if (awaited_) return true;  // a further round after damage
  auto awaited = encoder_->begin(identity_, words_);
  if (!awaited) {
    failure_ = awaited.error().message;
    return false;
  }
  awaited_ = std::move(*awaited);
  deadline_ = std::chrono::steady_clock::now() + encoder_->encoding().options().question_time;
  return true;
}

Result<QuestionVector> MeaningSearch::awaited_vector(Executor& executor,
                                                     const std::stop_token& stop) {
  std::optional<Result<std::vector<float>>> vector;
  executor.block([&] { vector = awaited_->wait(deadline_, stop); });
  if (!*vector) return vector->error();
  return to_question_vector(**vector);
}

std::vector<RankedPassage> MeaningSearch::fused(std::vector<RankedPassage> ranked,
                                                std::size_t limit, Executor& executor,
                                                const std::stop_token& stop) {
  const auto vector = awaited_vector(executor, stop);
  if (!vector) {
    failure_ = vector.error().code == Code::kDeadlineExceeded
                   ? "the question was not encoded within " +
                         std::to_string(encoder_->encoding().options().question_time.count()) +
                         " ms"
                   : vector.error().message;
    if (ranked.size() > limit) ranked.resize(limit);
    return ranked;
  }
  failure_.clear();
  const auto nearest = dense_rank(shards_, vectors_, *vector, kFusedPassages, executor, stop);
  return fuse(ranked, nearest, limit);
}

std::string MeaningSearch::note() const {
  if (!is_configured()) return {};
  std::string note;
  if (!failure_.empty()) note = "Ranked by words alone: " + reason_of(failure_) + ".";
  if (done_ == total_) return note;
  const std::string pause = encoder_->encoding().pause_reason();
  if (!note.empty()) note += ' ';
  note += "Vectors: " + grouped(done_) + " of " + grouped(total_) + " passages";
  return note + (pause.empty() ? "." : "; paused: " + reason_of(pause) + ".");
}

}  // namespace quarry::corpus
