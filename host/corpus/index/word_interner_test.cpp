#include "corpus/index/word_interner.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

TEST(WordInterner, NumbersWordsOfEachLengthThatDifferInOneByte) {
  std::map<std::string, std::uint32_t> numbers;  // keeps the bytes
  WordInterner words;
  for (std::size_t length = 1; length <= 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char other : {'a', 'b', '\0'}) {
        std::string word(length, 'a');
        word[at] = other;
        const auto [known, is_other] = numbers.emplace(std::move(word), words.size());
        const auto [id, is_new] = words.add(known->first);
        ASSERT_EQ(is_new, is_other) << "length " << length << ", byte " << at;
        ASSERT_EQ(id, known->second);
        ASSERT_EQ(words[id], known->first);
      }
    }
  }
  EXPECT_EQ(words.size(), numbers.size());
}

TEST(WordInterner, KeepsItsNumbersWhileItGrows) {
  std::map<std::string, std::uint32_t> numbers;
  WordInterner words;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto known = numbers.emplace("a word that is long " + std::to_string(i * 7919), i).first;
    ASSERT_EQ(words.add(known->first).id, i);
  }
  for (const auto& [word, number] : numbers) {
    const auto [id, is_new] = words.add(std::string_view(word));
    ASSERT_EQ(id, number);
    ASSERT_FALSE(is_new);
  }
}

TEST(WordInterner, RefersToTheCopyThatItIsGiven) {
  WordInterner words;
  const std::string kept = "a word of more than sixteen bytes";
  {
    const std::string before = kept;
    words.add(before);
    words.keep_last(kept);
  }
  EXPECT_EQ(words[0].data(), kept.data());
  EXPECT_EQ(words.add(kept).id, 0u);
}

}  // namespace
}  // namespace quarry::corpus
