// The REST interface over a simulated engine: for load programs, and for trying clients without a
// model. Prints the port, then serves until standard input ends.
//   serve_fake [threads] [resources.json]

#include "engine_client/testing/fake_engine.h"
#include "http_server/testing/threads.h"
#include "transport-rest/surface.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

int main(int count, char** arguments) {
  using namespace quarry;
  engine_client::testing::FakeEngine engine;
  http_server::testing::Threads threads;
  engine.forget_calls();
  std::string resources = R"({"resources":[]})";
  if (count > 2) {
    std::ifstream file(arguments[2]);
    resources.assign(std::istreambuf_iterator<char>(file), {});
  }
  engine.answer("resources.list", resources);
  engine.answer("config.show", R"({"provider":"openai","model":"m","resourcesDirectory":"/tmp"})");
  engine.answer("models.list", R"({"all":[{"id":"openai","models":{}}],"connected":["openai"]})");
  engine.add_question("q");
  engine.emit("q", "meta",
              R"({"type":"meta","id":"q","model":{"provider":"openai","model":"m"},)"
              R"("resources":["docs"],"collection":{"key":"docs","path":"/"},"snapshots":[]})");
  engine.emit("q", "text.delta", R"({"type":"text.delta","delta":"Hello from Quarry."})");
  engine.emit("q", "done",
              R"({"type":"done","text":"Hello from Quarry.","reasoning":"","tools":[],)"
              R"("usage":{"inputTokens":10,"outputTokens":4,"totalTokens":14},)"
              R"("citations":[],"finishReason":"stop","steps":1})");
  engine.end("q");

  engine_client::EngineCalls calls(engine.table());
  rest::Surface surface(calls, {{}, {}, "bench", {}});
  http_server::ServerOptions options;
  options.listen = {{"127.0.0.1", 0}};
  options.threads = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 1;
  http_server::Server server(threads.table(), nullptr, surface, options);
  if (const std::string problem = server.start(); !problem.empty()) {
    std::fprintf(stderr, "%s\n", problem.c_str());
    return 1;
  }
  std::printf("%u\n", static_cast<unsigned>(server.addresses().front().port));
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  server.stop(std::chrono::milliseconds(100));
  return 0;
}
