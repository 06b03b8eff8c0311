#include "corpus/query/meaning_search.h"

#include "base/utf8.h"
#include "corpus/query/dense_search.h"
#include "corpus/query/fusion.h"

namespace quarry::corpus {
namespace {

/// "1,200".
std::string grouped(std::size_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// The begin of an encoder's message, without its full stop.
std::string shortened(std::string_view message) {
  constexpr std::size_t kMostBytes = 200;
  std::string text(utf8_prefix(message, kMostBytes));
  while (text.ends_with('.')) text.pop_back();
  return text;
}

/// Empty without an encoder.
std::string file_of(const QuestionEncoder* questions) {
  const auto encoder = questions == nullptr ? nullptr : questions->encoding().encoder();
  return encoder ? vector_file_name(encoder->identity()) : "";
}

}  // namespace

MeaningSearch::MeaningSearch(QuestionEncoder* encoder, const SearchQuery& query)
    : encoder_(query.words_only ? nullptr : encoder),
      words_(query.words),
      vector_file_(file_of(encoder_)) {}

void MeaningSearch::count(std::span<const Shard> shards,
                          std::span<const std::shared_ptr<const VectorIndex>> vectors) {
  done_ = 0;
  total_ = 0;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    total_ += shards[i].table->passage_count();
    if (vectors[i]) done_ += vectors[i]->done();
  }
}

bool MeaningSearch::begin(const Question& question, std::span<const Shard> shards,
                          std::span<const std::shared_ptr<const VectorIndex>> vectors) {
  if (vector_file_.empty()) return false;
  count(shards, vectors);
  if (done_ == 0 || names_known_place(question, shards)) return false;
  shards_ = shards;
  vectors_ = vectors;
  if (awaited_) return true;  // a further round after damage
  auto awaited = encoder_->begin(words_);
  if (!awaited || vector_file_name((*awaited)->identity()) != vector_file_) {
    failure_ = awaited ? "the encoder has just changed" : awaited.error().message;
    return false;
  }
  awaited_ = std::move(*awaited);
  deadline_ = std::chrono::steady_clock::now() + encoder_->encoding().options().question_time;
  return true;
}

Result<QuestionVector> MeaningSearch::awaited_vector(const std::stop_token& stop) {
  const auto vector = awaited_->wait(deadline_, stop);
  if (!vector) return vector.error();
  return to_question_vector(*vector);
}

std::vector<RankedPassage> MeaningSearch::fused(std::vector<RankedPassage> ranked,
                                                std::size_t limit, Executor& executor,
                                                const std::stop_token& stop) {
  const auto vector = awaited_vector(stop);
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
  if (vector_file_.empty()) return {};
  std::string note;
  if (!failure_.empty()) note = "Ranked by words alone: " + shortened(failure_) + ".";
  if (done_ == total_) return note;
  const std::string pause = encoder_->encoding().pause_reason();
  if (!note.empty()) note += ' ';
  note += "Vectors: " + grouped(done_) + " of " + grouped(total_) + " passages";
  return note + (pause.empty() ? "." : "; paused: " + shortened(pause) + ".");
}

}  // namespace quarry::corpus
