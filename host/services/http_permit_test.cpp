#include "services/http_permit.h"

#include "services/testing/scripted_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace quarry::services {
namespace {

using ::testing::AllOf;
using testing::ClientHost;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<std::string> kAnyHost{"*"};

TEST(HttpPermit, TellsTheAddressesOfAHostThatIsAllowed) {
  ClientHost host;
  const auto permit = host.client().permit({}, "https://127.0.0.1:8443/x", kAnyHost);
  ASSERT_TRUE(permit) << permit.error().message;
  EXPECT_EQ(permit->host, "127.0.0.1");
  EXPECT_EQ(permit->port, 8443);
  EXPECT_THAT(permit->addresses, ElementsAre("127.0.0.1"));
  EXPECT_FALSE(permit->proxied);
}

TEST(HttpPermit, ResolvesANameAndChecksEveryAddressOfIt) {
  ClientHost host({}, {"localhost"});
  const auto permit = host.client().permit({}, "ssh://git@localhost/x", kAnyHost);
  ASSERT_TRUE(permit) << permit.error().message;
  EXPECT_EQ(permit->port, 22);
  EXPECT_THAT(permit->addresses, ::testing::Contains("127.0.0.1"));
}

TEST(HttpPermit, RefusesPrivateAddressesHoweverTheyAreWritten) {
  ClientHost host({}, {});
  for (const char* url :
       {"http://127.0.0.1/", "https://localhost/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
        "http://169.254.169.254/", "http://2130706433/", "http://0x7f.1/", "ssh://git@10.0.0.1/x",
        "http://localhost./"}) {
    const auto permit = host.client().permit({}, url, kAnyHost);
    ASSERT_FALSE(permit) << url;
    EXPECT_EQ(permit.error().code, Code::kPermissionDenied) << url << permit.error().message;
    EXPECT_THAT(permit.error().hint, HasSubstr("network.private_hosts")) << url;
  }
}

TEST(HttpPermit, RefusesHostsTheManifestDoesNotList) {
  ClientHost host;
  const auto permit = host.client().permit({}, "http://127.0.0.1/", {"example.org"});
  ASSERT_FALSE(permit);
  EXPECT_THAT(permit.error().message, HasSubstr("manifest does not list"));
}

TEST(HttpPermit, LeavesTheNameToAProxy) {
  ClientHost host({{"https_proxy", "http://127.0.0.1:3128"}}, {});
  const auto permit = host.client().permit({}, "https://git.example.invalid/x", kAnyHost);
  ASSERT_TRUE(permit) << permit.error().message;
  EXPECT_TRUE(permit->proxied);
  EXPECT_THAT(permit->addresses, IsEmpty());
  EXPECT_FALSE(host.client().permit({}, "https://10.0.0.1/x", kAnyHost));
}

TEST(HttpPermit, LeavesNoPrivateAddressToAProxy) {
  ClientHost host({{"all_proxy", "http://127.0.0.1:3128"}}, {});
  for (const char* url : {"https://10.1/x", "https://0x7f.1/x", "http://2130706433/x",
                          "http://127.0.0.1./x", "http://[::ffff:10.0.0.1]/x"}) {
    const auto permit = host.client().permit({}, url, kAnyHost);
    ASSERT_FALSE(permit) << url;
    EXPECT_THAT(permit.error().hint, HasSubstr("network.private_hosts")) << url;
  }
}

TEST(HttpPermit, ResolvesTheNameForSshInAnyCaseOfItsScheme) {
  ClientHost host({{"all_proxy", "http://127.0.0.1:3128"}}, {});
  for (const char* url : {"ssh://git@name.invalid/x", "SSH://git@name.invalid/x"}) {
    const auto permit = host.client().permit({}, url, kAnyHost);
    ASSERT_FALSE(permit) << url;
    EXPECT_EQ(permit.error().code, Code::kUnavailable) << url;
  }
}

TEST(HttpPermit, SaysThatANameDoesNotExist) {
  ClientHost host;
  const auto permit = host.client().permit({}, "https://name.invalid/x", kAnyHost);
  ASSERT_FALSE(permit);
  EXPECT_EQ(permit.error().code, Code::kUnavailable);
  EXPECT_THAT(permit.error().message, AllOf(HasSubstr("name.invalid"), HasSubstr("resolved")));
}

TEST(HttpPermit, EndsWithItsCall) {
  ClientHost host;
  std::stop_source stop;
  stop.request_stop();
  Call call;
  call.stop = stop.get_token();
  const auto permit = host.client().permit(call, "https://name.invalid/x", kAnyHost);
  ASSERT_FALSE(permit);
  EXPECT_EQ(permit.error().code, Code::kCancelled);
}

TEST(HttpPermit, RefusesWhatIsNoSuchUrl) {
  ClientHost host;
  for (const char* url : {"", "file:///etc/passwd", "ext::sh -c x", "git@example.org:x", "https://",
                          "https://example.org\\@127.0.0.1/x", "ssh://example.org\\@127.0.0.1/x"}) {
    EXPECT_EQ(host.client().permit({}, url, kAnyHost).error().code, Code::kInvalidArgument) << url;
  }
}

}  // namespace
}  // namespace quarry::services
