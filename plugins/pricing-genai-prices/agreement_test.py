#!/usr/bin/env python3
"""Prices every model of genai-prices with our rates and with its own program; they must agree.

Usage: agreement_test.py RATES_PROGRAM NODE INDEX_JS"""

import json
import pathlib
import subprocess
import sys
from decimal import Decimal


def price(rates, usage):
    """The price in dollars. Tokens without their own rate are billed as the kind they are part of,
    as genai-prices does."""
    now = {name: Decimal(rate) for name, rate in rates.items()
           if name not in ("source", "date", "tiers")}
    for tier in rates.get("tiers", []):
        if usage["input_tokens"] > tier["above"]:
            now.update({name: Decimal(rate) for name, rate in tier.items() if name != "above"})
    plain_input, plain_output, total = usage["input_tokens"], usage["output_tokens"], Decimal(0)
    for part, name in (("cache_read_tokens", "cacheRead"), ("cache_write_tokens", "cacheWrite")):
        if name in now:
            plain_input -= usage.get(part, 0)
            total += now[name] * usage.get(part, 0)
    if "reasoning" in now:
        plain_output -= usage.get("output_reasoning_tokens", 0)
        total += now["reasoning"] * usage.get("output_reasoning_tokens", 0)
    total += now.get("input", 0) * plain_input + now.get("output", 0) * plain_output
    return total / 10**6


def agree(ours, theirs):
    if theirs is None or ours is None:
        return theirs is ours
    return abs(ours - Decimal(theirs)) <= Decimal("1e-9") * max(1, abs(ours))


def main(program, node, index_js):
    script = pathlib.Path(__file__).with_name("their_prices_test.mjs")
    said = subprocess.run([node, script, index_js], check=True, capture_output=True, text=True)
    samples = [json.loads(line) for line in said.stdout.splitlines()]
    asked = "".join(f"{s['provider']}\t{s['model']}\t{s['ms']}\n" for s in samples)
    answered = subprocess.run([program], input=asked, check=True, capture_output=True, text=True)
    answers = [json.loads(line) for line in answered.stdout.splitlines()]
    assert len(answers) == len(samples) > 3000, f"{len(answers)} answers to {len(samples)} samples"
    priced = sum(sample["price"] is not None for sample in samples)
    assert priced > 1500, f"only {priced} samples have a price"
    wrong = [(sample, rates) for sample, rates in zip(samples, answers)
             if not agree(rates and price(rates, sample["usage"]), sample["price"])]
    for sample, rates in wrong[:20]:
        print(sample, rates, rates and price(rates, sample["usage"]))
    print(f"{len(samples)} prices, {priced} known, {len(wrong)} wrong")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
