// Prints the rates for each line "<provider>\t<model>\t<milliseconds since 1970>" of standard
// input.

#include "pricing-genai-prices/catalogue.h"

#include <iostream>
#include <sstream>

int main() {
  namespace genai = quarry::pricing_genai_prices;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream in(line);
    std::string provider;
    std::string model;
    std::string ms;
    std::getline(in, provider, '\t');
    std::getline(in, model, '\t');
    std::getline(in, ms);
    const genai::Moment now{std::chrono::milliseconds(std::stoll(ms))};
    std::cout << genai::rates(genai::built_in_tables(), provider, model, now) << '\n';
  }
}
