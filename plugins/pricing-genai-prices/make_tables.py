#!/usr/bin/env python3
"""Turns the price data inside genai-prices' JavaScript into C++ tables (see tables.h).

Usage: make_tables.py OUTPUT [INDEX_JS DATE]; without INDEX_JS the tables are empty."""

import pathlib
import re
import sys
from decimal import ROUND_HALF_UP, Decimal

TOKEN = re.compile(r'\s*(?:([\[\]{}:,])|("(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`(?:[^`\\]|\\.)*`)'
                   r'|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(!0|!1|[A-Za-z_$][\w$]*))', re.S)
ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))', re.S)
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
WORDS = {"!0": True, "!1": False, "true": True, "false": False, "null": None}
RATES = ["input_mtok", "output_mtok", "output_reasoning_mtok", "cache_read_mtok",
         "cache_write_mtok"]
LEAVES = ["equals", "starts_with", "ends_with", "contains", "regex"]
MOST = 10**15  # nano-dollars, the highest price that the host accepts


def unescape(found):
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else PLAIN.get(found[3], found[3])


def tokens(text, at):
    while found := TOKEN.match(text, at):
        at = found.end()
        mark, string, number, word = found.groups()
        if mark:
            yield mark, None
        elif string:
            yield "value", ESCAPE.sub(unescape, string[1:-1])
        elif number:
            yield "value", Decimal(number)
        else:
            yield "word", word
    raise ValueError(f"not understood at character {at}: {text[at:at + 40]!r}")


def value(kind, content, rest):
    """One JavaScript literal: an array, an object, a string, a number or a word."""
    if kind == "value":
        return content
    if kind == "word":
        return WORDS[content]
    if kind == "[":
        out = []
        while (token := next(rest))[0] != "]":
            if token[0] != ",":
                out.append(value(*token, rest))
        return out
    if kind == "{":
        out = {}
        while (token := next(rest))[0] != "}":
            if token[0] == ",":
                continue
            assert next(rest)[0] == ":", f"no colon after {token[1]!r}"
            out[token[1]] = value(*next(rest), rest)
        return out
    raise ValueError(f"a value cannot begin with {kind!r}")


def providers_of(script):
    begin = re.search(r"\bconst \w+\s*=\s*(?=\[)", script)
    stream = tokens(script, begin.end())
    out = value(*next(stream), stream)
    assert out and all("id" in p and "models" in p for p in out), "no providers in the package"
    return out


def nanos(dollars):
    amount = int((dollars * 10**9).quantize(Decimal(1), ROUND_HALF_UP))
    assert 0 <= amount <= MOST, f"{dollars} is no price"
    return amount


def seconds(clock):
    found = re.fullmatch(r"(\d\d):(\d\d):(\d\d)Z", clock)
    assert found, f"{clock} is no time of day in UTC"
    return int(found[1]) * 3600 + int(found[2]) * 60 + int(found[3])


class Tables:
    def __init__(self):
        self.text, self.places = "", {}
        self.rules, self.tiers, self.prices, self.models = [], [], [], []
        self.fallbacks, self.providers = [], []

    def put(self, text):
        assert text.isascii(), f"{text!r} is not ASCII"
        if text not in self.places:
            self.places[text] = len(self.text)
            self.text += text
        return f"{self.places[text]}, {len(text)}"

    def rule(self, logic):
        """Appends a rule before its parts; returns its index."""
        (kind, content), = logic.items()
        index = len(self.rules)
        self.rules.append(None)
        if kind in ("or", "and"):
            for child in content:
                self.rule(child)
            place = "0, 0"
        else:
            assert kind in LEAVES, f"unknown kind of rule {kind!r}"
            place = self.put(content if kind == "regex" else content.lower())
        self.rules[index] = f"{{Rule::k_{kind}, {place}, {len(self.rules)}}}"
        return index

    def price(self, entry):
        base, tiers = [], {}
        for place, name in enumerate(RATES):
            rate = entry["prices"].get(name)
            if isinstance(rate, dict):
                for tier in rate["tiers"]:
                    tiers.setdefault(int(tier["start"]), [-1] * len(RATES))[place] = nanos(
                        tier["price"])
                rate = rate["base"]
            base.append(-1 if rate is None else nanos(rate))
        if "requests_kcount" in entry["prices"]:
            base = [-1] * len(RATES)  # rates per token cannot express a price per call
        first = len(self.tiers)
        for above, rates in sorted(tiers.items()):
            self.tiers.append(f"{{{above}, {{{', '.join(map(str, rates))}}}}}")
        when = entry.get("constraint") or {}
        if "start_date" in when:
            limit = f"When::kFromDay, {when['start_date'].replace('-', '').lstrip('0')}, 0"
        elif when:
            limit = f"When::kDaily, {seconds(when['start_time'])}, {seconds(when['end_time'])}"
        else:
            limit = "When::kAlways, 0, 0"
        self.prices.append(f"{{{limit}, {{{', '.join(map(str, base))}}}, {first}, "
                           f"{len(self.tiers) - first}}}")

    def add(self, provider, names):
        match = self.rule(provider["provider_match"]) if "provider_match" in provider else -1
        first = len(self.models)
        for model in provider["models"]:
            rule, begin = self.rule(model["match"]), len(self.prices)
            prices = model["prices"]
            for entry in prices if isinstance(prices, list) else [{"prices": prices}]:
                self.price(entry)
            self.models.append(f"{{{rule}, {begin}, {len(self.prices) - begin}}}")
        others = [names.index(other) for other in provider.get("fallback_model_providers", [])]
        self.providers.append(f"{{{self.put(provider['id'])}, {match}, {first}, "
                              f"{len(self.models) - first}, {len(self.fallbacks)}, {len(others)}}}")
        self.fallbacks += map(str, others)

    def source(self, date):
        def table(kind, name, rows):
            return (f"inline constexpr std::array<{kind}, {len(rows)}> {name} = "
                    + ("{{\n" + ",\n".join(rows) + "}};\n\n" if rows else "{};\n\n"))
        data = self.text.encode()
        lines = [", ".join(map(str, data[i:i + 24])) for i in range(0, len(data), 24)]
        out = "#pragma once\n\n#include \"pricing-genai-prices/tables.h\"\n\n#include <array>\n\n"
        out += "namespace quarry::pricing_genai_prices::data {\n\n"
        out += f"inline constexpr std::string_view kDate = \"{date}\";\n\n"
        out += (f"inline constexpr std::array<char, {len(data)}> kText = "
                + ("{{\n" + ",\n".join(lines) + "}};\n\n" if data else "{};\n\n"))
        out += table("Rule", "kRules", self.rules)
        out += table("TierRow", "kTiers", self.tiers)
        out += table("PriceRow", "kPrices", self.prices)
        out += table("ModelRow", "kModels", self.models)
        out += table("std::uint16_t", "kFallbacks", self.fallbacks)
        out += table("ProviderRow", "kProviders", self.providers)
        return out + "}  // namespace quarry::pricing_genai_prices::data\n"


def main(output, script=None, date=""):
    tables = Tables()
    if script:
        providers = providers_of(pathlib.Path(script).read_text(encoding="utf-8"))
        names = [provider["id"] for provider in providers]
        for provider in providers:
            tables.add(provider, names)
    pathlib.Path(output).write_text(tables.source(date), encoding="utf-8")


main(*sys.argv[1:])
