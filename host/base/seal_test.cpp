#include "base/seal.h"

#include <gtest/gtest.h>

namespace quarry {
namespace {

const std::string kKey(64, 'a');

TEST(Seal, OpensWithItsKeyForItsContext) {
  for (const std::string& text : {std::string(), std::string("secret"), std::string(9000, 'x')}) {
    const auto sealed = seal(kKey, text, "docs/kit");
    ASSERT_TRUE(sealed);
    EXPECT_EQ(sealed->find(text.empty() ? "none" : text), std::string::npos);
    EXPECT_EQ(unseal(kKey, *sealed, "docs/kit").value(), text);
  }
  EXPECT_NE(*seal(kKey, "x", ""), *seal(kKey, "x", ""));
}

TEST(Seal, OpensForNobodyElse) {
  const std::string sealed = *seal(kKey, "secret", "docs/kit");
  const auto code = [](const Result<std::string>& opened) {
    return opened ? Code::kOk : opened.error().code;
  };
  EXPECT_EQ(code(unseal(std::string(64, 'b'), sealed, "docs/kit")), Code::kPermissionDenied);
  EXPECT_EQ(code(unseal(kKey, sealed, "web/kit")), Code::kPermissionDenied);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    std::string changed = sealed;
    changed[i] = changed[i] == '0' ? '1' : '0';
    EXPECT_EQ(code(unseal(kKey, changed, "docs/kit")), Code::kPermissionDenied) << i;
  }
  for (const char* other : {"", "0", "zz", "00112233"}) {
    EXPECT_EQ(code(unseal(kKey, other, "docs/kit")), Code::kPermissionDenied) << other;
  }
}

TEST(Seal, TakesNoWeakKey) {
  for (const std::string& key : {std::string(), std::string("password"), std::string(63, 'a'),
                                 std::string(64, 'g'), std::string(66, 'a')}) {
    EXPECT_EQ(seal(key, "x", "").error().code, Code::kInvalidArgument) << key;
    EXPECT_EQ(unseal(key, "00", "").error().code, Code::kInvalidArgument) << key;
  }
}

}  // namespace
}  // namespace quarry
