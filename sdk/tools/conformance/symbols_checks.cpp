// Groups calls and symbols: analysers of the draft kind, with texts of no language.

#include "conformance/checks.h"

#include <quarry/draft/symbols.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace quarry::conformance {
namespace {

using plugins::Analyser;

constexpr std::size_t kDeep = 20'000;

/// Texts that a file may have, whatever its name promises.
std::vector<std::string> sample_texts() {
  std::string all_bytes;
  for (int code = 1; code < 128; ++code) all_bytes += static_cast<char>(code);
  return {"",
          "\n",
          "int main(void) {\n  return call(main);\n}\n",
          "class Main:\n    def run(self):\n        return main()\n",
          "# Main\n\ntext\n",
          all_bytes,
          "\xEF\xBF\xBD main \xC3\xA9\n",
          std::string(kDeep, '('),
          std::string(kDeep, '{') + "\n" + std::string(kDeep, '}'),
          "\"unfinished\n/* unfinished\n"};
}

Verdict for_each_text(
    Trial& trial, const char* function,
    const std::function<Verdict(Analyser& analyser, const std::string& text)>& check) {
  return for_each(trial, QUARRY_SYMBOLS, [&](Generation&, const Made& made) {
    trial.at(made, "describe");
    const auto analyser = plugins::adapt_analyser(made.instance);
    if (!analyser) return judge(analyser.error());
    static_cast<void>(new std::shared_ptr(*analyser));
    for (const std::string& text : sample_texts()) {
      trial.at(made, function, text);
      if (auto verdict = check(**analyser, text); verdict.outcome != Outcome::kPass) return verdict;
    }
    return Verdict();
  });
}

bool is_same(const plugins::Definition& one, const plugins::Definition& other) {
  return one.kind == other.kind && one.name == other.name && one.line == other.line &&
         one.first_line == other.first_line && one.last_line == other.last_line &&
         one.parent == other.parent;
}

}  // namespace

Verdict definitions_replies(Trial& trial) {
  return for_each_text(trial, "definitions", [](Analyser& analyser, const std::string& text) {
    const auto found = analyser.definitions({}, "example", text);
    return found ? Verdict() : judge(found.error());
  });
}

Verdict references_replies(Trial& trial) {
  return for_each_text(trial, "references", [](Analyser& analyser, const std::string& text) {
    const auto found = analyser.references({}, "example", text, "main");
    return found ? Verdict() : judge(found.error());
  });
}

Verdict definitions_stable(Trial& trial) {
  return for_each_text(trial, "definitions", [](Analyser& analyser, const std::string& text) {
    const auto once = analyser.definitions({}, "example", text);
    const auto again = analyser.definitions({}, "example", text);
    if (!once || !again) return judge(once ? again.error() : once.error());
    return std::ranges::equal(*once, *again, is_same)
               ? Verdict()
               : fails("the same text has other definitions the second time",
                       "let definitions depend on the path and the text alone");
  });
}

}  // namespace quarry::conformance
