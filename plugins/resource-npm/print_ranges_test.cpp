// Reads lines of a range, a tab and a version, and prints the range parser's result for each: "-"
// when it is not a range, else 1 when it contains the version, else 0.

#include "resource-npm/range.h"

#include <iostream>
#include <string>

int main() {
  using namespace quarry::resource_npm;
  for (std::string line; std::getline(std::cin, line);) {
    const auto tab = line.rfind('\t');
    if (tab == line.npos) return 1;
    const auto range = Range::parse(std::string_view(line).substr(0, tab));
    const auto version = Version::parse(std::string_view(line).substr(tab + 1));
    std::cout << (!range ? "-" : version && range->contains(*version) ? "1" : "0") << '\n';
  }
}
