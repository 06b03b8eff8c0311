"""The deviations that take real time: servers that stay connected after they named a reason to end."""

import unittest

import test_deviations
from deviations import SLOW_DEVIATIONS


class OpenAiChat(test_deviations.OpenAiChat):
    deviations = SLOW_DEVIATIONS


class Anthropic(test_deviations.Anthropic):
    deviations = SLOW_DEVIATIONS


class Gemini(test_deviations.Gemini):
    deviations = SLOW_DEVIATIONS


if __name__ == "__main__":
    unittest.main()
