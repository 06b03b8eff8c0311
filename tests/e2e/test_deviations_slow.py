"""The deviations that take real time: servers that stay connected after they named a reason to end;
and all of them with the other providers of OpenAI's protocol."""

import unittest

import test_deviations
from deviations import PROVIDERS, SLOW_DEVIATIONS


class OpenAiChat(test_deviations.OpenAiChat):
    deviations = SLOW_DEVIATIONS


class Anthropic(test_deviations.Anthropic):
    deviations = SLOW_DEVIATIONS


class Gemini(test_deviations.Gemini):
    deviations = SLOW_DEVIATIONS


def load_tests(loader, tests, _):
    """Adds a test for each other provider of the chat protocol."""
    for provider in PROVIDERS["chat"][1:]:
        case = type(provider.title(), (test_deviations.Asked, unittest.TestCase),
                    {"protocol": "chat", "provider": provider})
        tests.addTests(loader.loadTestsFromTestCase(case))
    return tests


if __name__ == "__main__":
    unittest.main()
