#include "pricing-genai-prices/match.h"

#include <algorithm>
#include <chrono>
#include <regex>

namespace quarry::pricing_genai_prices {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The common prefix of all names that `expression` matches. It avoids compiling the expression,
/// which costs more than all other rules of a provider together.
std::string_view fixed_beginning(std::string_view expression) {
  if (!expression.starts_with('^') || expression.find('|') != std::string_view::npos) return {};
  expression.remove_prefix(1);
  const std::size_t size = std::min(
      expression.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-/"), expression.size());
  const bool repeated = size < expression.size() &&
                        std::string_view("*+?{").find(expression[size]) != std::string_view::npos;
  return expression.substr(0, repeated && size > 0 ? size - 1 : size);
}

/// The expressions are part of the build; the few of them have the same meaning in JavaScript.
bool matches(std::string_view expression, std::string_view name) {
  if (!name.starts_with(fixed_beginning(expression))) return false;
  try {
    const std::regex compiled(expression.begin(), expression.end(), std::regex::ECMAScript);
    return std::regex_search(name.begin(), name.end(), compiled);
  } catch (const std::regex_error&) {
    return false;
  }
}

int number(std::string_view digits) {
  int out = 0;
  for (const char c : digits) out = out * 10 + (c - '0');
  return out;
}

/// True if `text` begins with a day such as "20260131", followed by '-', ':' or nothing.
bool begins_with_day(std::string_view text) {
  if (text.size() < 8 || !std::all_of(text.begin(), text.begin() + 8, is_digit)) return false;
  if (text.size() > 8 && text[8] != '-' && text[8] != ':') return false;
  const std::chrono::year_month_day day{
      std::chrono::year(number(text.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(number(text.substr(4, 2)))),
      std::chrono::day(static_cast<unsigned>(number(text.substr(6, 2))))};
  return text.starts_with("20") && day.ok();
}

}  // namespace

std::string normal_name(std::string_view name) {
  const std::size_t begin = std::min(name.find_first_not_of(" \t\r\n"), name.size());
  name.remove_prefix(begin);
  name = name.substr(0, name.find_last_not_of(" \t\r\n") + 1);
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c | 0x20);
  }
  return out;
}

bool holds(const Tables& tables, std::uint32_t index, std::string_view name) {
  const Rule& rule = tables.rules[index];
  const std::string_view text = tables.text.substr(rule.text, rule.size);
  const auto any_part = [&](bool wanted) {
    for (std::uint32_t part = index + 1; part < rule.end; part = tables.rules[part].end) {
      if (holds(tables, part, name) == wanted) return true;
    }
    return false;
  };
  switch (rule.kind) {
    case Rule::k_or:
      return any_part(true);
    case Rule::k_and:
      return !any_part(false);
    case Rule::k_equals:
      return name == text;
    case Rule::k_starts_with:
      return name.starts_with(text);
    case Rule::k_ends_with:
      return name.ends_with(text);
    case Rule::k_contains:
      return name.find(text) != std::string_view::npos;
    case Rule::k_regex:
      return matches(text, name);
  }
  return false;
}

std::string with_dashed_dates(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const bool date = name.front() == '-' && begins_with_day(name.substr(1));
    if (date) {
      out.append(name, 0, 5).append(1, '-').append(name, 5, 2).append(1, '-').append(name, 7, 2);
    } else {
      out += name.front();
    }
    name.remove_prefix(date ? 9 : 1);
  }
  return out;
}

}  // namespace quarry::pricing_genai_prices
