#include "base/executor.h"
#include "corpus/query/search.h"
#include "corpus/query/testing/collection_fixture.h"
#include "corpus/snapshot/snapshot_state.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Not;

class Explain : public CollectionFixture {
 protected:
  std::vector<Passage> explained(const Collection& collection, std::string words) {
    SearchQuery query{std::move(words), "", 50};
    query.explain = true;
    auto found = search(collection, query, executor_, {});
    EXPECT_TRUE(found) << found.error().message;
    return found ? *found : std::vector<Passage>();
  }
  static double product(const Explanation& explanation) {
    double score = 0;
    for (const ScorePart& part : explanation.parts) score += part.value;
    for (const ScoreFactor& factor : explanation.factors) score *= factor.value;
    return score;
  }
  static const Passage& of(const std::vector<Passage>& found, std::string_view path) {
    return *std::ranges::find(found, path, &Passage::path);
  }
  Collection shop() {
    std::string guide;
    for (int i = 0; i < 5; ++i) guide += "## Cards " + std::to_string(i) + "\n\na card is paid\n\n";
    return collection("shop",
                      {{"src/card_payment.py",
                        "def charge_card(card, amount):\n"
                        "    '''Charges the credit card once.'''\n"
                        "    return gateway.charge(card, amount)\n"},
                       {"tests/test_card.py", "def test_charge_card():\n    charge_card(5)\n"},
                       {"docs/guide.md", guide},
                       {"html/guide.html", "<h1>Cards</h1><p>a card is paid</p>\n"},
                       {"CHANGELOG.md", "# 1.0\n\ncards are charged\n"},
                       {"package.json", "{\"name\": \"card\"}\n"}});
  }

  InlineExecutor executor_;
};

auto evidence(std::string name) {
  return Contains(Field("evidence", &ScorePart::evidence, std::move(name)));
}

auto rule(std::string name) {
  return Contains(Field("rule", &ScoreFactor::rule, std::move(name)));
}

TEST_F(Explain, PartsTimesFactorsAreTheScore) {
  for (const char* words :
       {"How do I charge a credit card?", "charge_card", "card payment", "error with a card",
        "card\n\nFile \"src/card_payment.py\", line 3, in charge_card",
        "Where are cards charged?"}) {
    const Collection all = shop();
    for (const bool indexed : {false, true}) {
      if (indexed) {
        ASSERT_TRUE(build_indexes(*all.sources()[0].snapshot, executor_, {}));
      }
      const std::vector<Passage> found = explained(all, words);
      ASSERT_THAT(found, Not(IsEmpty())) << words;
      for (const Passage& passage : found) {
        EXPECT_NEAR(product(passage.explanation), passage.score, 1e-4 * passage.score)
            << words << ": " << passage.path;
      }
    }
  }
}

TEST_F(Explain, NamesTheEvidence) {
  const auto found = explained(shop(), "charge_card in src/card_payment.py, card payment");
  const std::vector<ScorePart>& parts = of(found, "shop/src/card_payment.py").explanation.parts;
  for (const char* name : {"words", "file", "whole", "definition", "path", "mention"}) {
    EXPECT_THAT(parts, evidence(name)) << name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(parts, std::ranges::greater{}, &ScorePart::value));
  EXPECT_THAT(parts, Contains(Field("term", &ScorePart::term, "charg")));
}

TEST_F(Explain, NamesTheFactors) {
  const auto found = explained(shop(), "How do I charge a card?");
  EXPECT_THAT(of(found, "shop/tests/test_card.py").explanation.factors, rule("demotion: test"));
  EXPECT_THAT(of(found, "shop/src/card_payment.py").explanation.factors,
              rule("source_for_documents"));
  EXPECT_THAT(of(found, "shop/CHANGELOG.md").explanation.factors, rule("demotion: change log"));
  EXPECT_THAT(of(found, "shop/package.json").explanation.factors, rule("project"));
  EXPECT_THAT(found,
              Contains(Field(&Passage::explanation, Field(&Explanation::factors, rule("twin")))));
  EXPECT_THAT(found,
              Contains(Field(&Passage::explanation, Field(&Explanation::factors, rule("repeat")))));
  EXPECT_THAT(found, Contains(Field(&Passage::explanation,
                                    Field(&Explanation::parts, evidence("siblings")))));
}

TEST_F(Explain, NamesTheFactorOfImportedFiles) {
  const Collection all = collection("shop", {{"cart.py", "def total(cart):\n    return cart\n"},
                                             {"order.py", "import cart\n\nthe cart, cart\n"}});
  const auto found =
      explained(all,
                "Why does the function that adds up a cart change it for all of the next customers "
                "that come in later?");
  const Passage& cart = of(found, "shop/cart.py");
  EXPECT_THAT(cart.explanation.factors, rule("imported"));
  EXPECT_NEAR(product(cart.explanation), cart.score, 1e-4 * cart.score);
  EXPECT_THAT(of(found, "shop/order.py").explanation.factors, Not(rule("imported")));
}

TEST_F(Explain, NothingUnlessRequested) {
  const auto found = search(shop(), {"card", "", 10}, executor_, {});
  ASSERT_TRUE(found);
  EXPECT_THAT((*found)[0].explanation.parts, IsEmpty());
}

}  // namespace
}  // namespace quarry::corpus
