#include "corpus/text/import_lines.h"

#include <gmock/gmock.h>

namespace quarry::corpus {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ImportLines, AreFoundInEachLanguage) {
  for (const std::string_view line :
       {"import shop.cart", "from shop import cart", "#include <shop/cart.h>", "use shop::cart;",
        "using Shop.Cart;", "require_relative \"shop/cart\"", "import { total } from \"shop/cart\"",
        "const cart = require(\"shop/cart\");", "export * from \"shop/cart\"",
        "} from \"shop/cart\""}) {
    EXPECT_THAT(find_imports(line), SizeIs(1)) << line;
  }
  EXPECT_THAT(find_imports("def important():\n  total = cart.use\n"), IsEmpty());
}

TEST(ImportLines, HaveTheNamesOfTheLine) {
  const auto found = find_imports("\n  from Shop.cart_items import Total as T\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_THAT(found[0].words,
              ElementsAre("from", "Shop", "cart_items", "import", "Total", "as", "T"));
  EXPECT_FALSE(found[0].is_relative);
}

TEST(ImportLines, AreRelativeToTheFileThatHasThem) {
  for (const std::string_view line :
       {"from . import cart", "from .cart import total", "import cart from './cart'",
        "const cart = require(\"../cart\")", "#include \"cart.h\"", "mod cart;",
        "use crate::cart::total;", "use super::cart;"}) {
    EXPECT_TRUE(find_imports(line).at(0).is_relative) << line;
  }
  EXPECT_FALSE(find_imports("#include \"shop/cart.h\"").at(0).is_relative);
}

TEST(ImportLines, AreReadFromTheBeginningOfAFile) {
  const std::string text = "import cart\n" + std::string(9000, '\n') + "import shop\n";
  EXPECT_THAT(find_imports(text), SizeIs(1));
}

}  // namespace
}  // namespace quarry::corpus
