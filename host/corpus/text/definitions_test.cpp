#include "corpus/text/definitions.h"

#include <gtest/gtest.h>

namespace quarry::corpus {
namespace {

struct Sample {
  std::string_view line;
  std::string_view name;
};

TEST(Definitions, OpenBlocksInManyLanguages) {
  const Sample samples[] = {
      {"def read_file(path):", "read_file"},
      {"    async def fetch(self, url):", "fetch"},
      {"class ThreadPoolExecutor(_base.Executor):", "ThreadPoolExecutor"},
      {"func Marshal(v any) ([]byte, error) {", "Marshal"},
      {"func (c *Client) Do(req *Request) (*Response, error) {", "Do"},
      {"type ServeMux struct {", "ServeMux"},
      {"static int do_open(const char *path, int flags)", "do_open"},
      {"void Parser::parse_line(std::string_view line) {", "parse_line"},
      {"template_of (int a, int b)", "template_of"},
      {"enum class Color {", "Color"},
      {"struct point {", "point"},
      {"pub fn spawn<F>(f: F) -> JoinHandle where", "spawn"},
      {"pub(crate) struct Shared {", "Shared"},
      {"impl<T> Iterator for Window<T> {", "Window"},
      {"macro_rules! vec_of {", "vec_of"},
      {"export default function render(props) {", "render"},
      {"export const load = async ({ params }) => {", "load"},
      {"exports.parse = function (text) {", "parse"},
      {"Buffer.prototype.fill = function fill(value) {", "fill"},
      {"  parseHeader(line) {", "parseHeader"},
      {"  public static void main(String[] args) {", "main"},
      {"local function trim(s)", "trim"},
      {"sub open_socket {", "open_socket"},
      {"install_hook() {", "install_hook"},
      {"macro(add_component name)", "add_component"},
      {"CREATE TABLE users (", "users"},
      {"interface Props extends Base {", "Props"},
      {"message SearchRequest {", "SearchRequest"},
      {"(defun insert-line (text)", "insert"},
  };
  for (const Sample& sample : samples) {
    const Definition found = find_definition(sample.line);
    EXPECT_EQ(found.name, sample.name) << sample.line;
    EXPECT_TRUE(found.opens_block) << sample.line;
  }
}

TEST(Definitions, OfConstantsOpenNoBlock) {
  for (const auto& [line, name] : {Sample{"#define MAX_PATH 4096", "MAX_PATH"},
                                   Sample{"DEFAULT_TIMEOUT = 30", "DEFAULT_TIMEOUT"},
                                   Sample{"const kLimit = 10;", "kLimit"}}) {
    const Definition found = find_definition(line);
    EXPECT_EQ(found.name, name) << line;
    EXPECT_FALSE(found.opens_block) << line;
  }
}

TEST(Definitions, AreNotSeenInStatements) {
  for (const std::string_view line :
       {"", "  return foo(a);", "  if (ready(x)) {", "for (int i = 0; i < n; ++i) {",
        "  while (true) {", "  } else if (x) {", "#include <vector>", "  foo(bar);", "print(x)",
        "  x = call(y)", "// class of its own", "  server.on('x', function () {",
        "  items.map((x) => {", "class Forward;", "import os", "  switch (kind) {"}) {
    EXPECT_EQ(find_definition(line).name, "") << line;
  }
}

TEST(Definitions, KnowWhatEnclosesOthers) {
  EXPECT_TRUE(find_definition("class A {").is_container);
  EXPECT_TRUE(find_definition("namespace a::b {").is_container);
  EXPECT_FALSE(find_definition("def f():").is_container);
}

}  // namespace
}  // namespace quarry::corpus
