"""All configurations of test_config_check.py."""

import unittest

import test_config_check
from wrong_configurations import RIGHT, WRONG


class ConfigCheck(test_config_check.ConfigCheck):
    wrong, right = WRONG, RIGHT


if __name__ == "__main__":
    unittest.main()
