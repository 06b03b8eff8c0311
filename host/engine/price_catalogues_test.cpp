#include "engine/price_catalogues.h"

#include <gtest/gtest.h>

namespace quarry::engine {
namespace {

using Names = std::vector<std::string>;

TEST(PriceCatalogues, NegotiatedPricesGoFirstAndStrangersLast) {
  EXPECT_EQ(asked_in_order({"zebra", "genai-prices", "aardvark", "models-dev", "static"}, {}),
            (Names{"static", "models-dev", "genai-prices", "aardvark", "zebra"}));
  EXPECT_EQ(asked_in_order({"genai-prices", "static"}, {}), (Names{"static", "genai-prices"}));
}

TEST(PriceCatalogues, TheConfiguredOrderGoesBeforeTheUsualOne) {
  EXPECT_EQ(
      asked_in_order({"static", "models-dev", "genai-prices", "zebra"}, {"zebra", "genai-prices"}),
      (Names{"zebra", "genai-prices", "static", "models-dev"}));
}

}  // namespace
}  // namespace quarry::engine
