"""Functions of plugins that do not return, while others answer questions."""

import unittest

from trouble_harness import BAD, ECHO, EXCHANGE, IN_PROCESS, MODELS, RESOURCES, Trouble


LIMIT = 5  # seconds, in which a question must reach the function that hangs


class Hangs(Trouble):
    """A function that does not return: its question ends at its limit, and says what it was waiting
    for."""

    def hang(self):
        self.start_others()
        self.reconfigure(ECHO, BAD.format("", "resolve:hang", 1), seconds=LIMIT)
        late = self.ask("zebra?", "bad")
        self.costs(late, f'no answer within {LIMIT} s: the resource "bad" of type faulty (plugin {RESOURCES})')
        self.assertNotIn("max_seconds", late[1]["hint"])
        self.costs(self.ask("generate:hang zebra?", "code"), "the model echo/m had not finished")
        self.end_others()

    def test_of_an_isolated_plugin(self):
        self.hang()
        self.stop()

    def test_in_begin_of_an_isolated_plugin(self):
        self.start_others()
        self.reconfigure(EXCHANGE)
        self.costs(self.ask("begin:hang zebra?", "code"), MODELS, "did not answer begin")
        self.end_others()
        self.stop()

    def test_in_a_price_catalogue_of_an_isolated_plugin(self):
        self.start_others()
        self.reconfigure(self.played.replace('"m1"', '"rates:hang"'))
        self.answers_to(self.ask("zebra?", "code"))
        self.end_others()
        self.stop()

    def test_in_describe_while_the_plugin_is_loaded(self):
        self.start_others()
        self.reconfigure(ECHO, '[resource_type.faulty]\ndo = "describe:hang"\n')
        problems = self.server.json("GET", "/readyz")[1]["problems"]
        self.assertTrue(any(RESOURCES in each and "describe" in each for each in problems), problems)
        self.end_others()
        self.stop()


class HangsInProcess(Hangs):
    """Of a plugin that runs in the host, which ends without it."""

    ISOLATION = IN_PROCESS
    test_of_an_isolated_plugin = None
    test_in_begin_of_an_isolated_plugin = None
    test_in_a_price_catalogue_of_an_isolated_plugin = None

    def test_of_a_plugin_in_the_host(self):
        self.hang()
        errors = self.stop()
        for plugin, function in ((RESOURCES, "resolve"), (MODELS, "generate")):
            self.assertIn(f"plugin {plugin} does not return from {function}", errors)
            self.assertIn(f"plugin {plugin} has not returned from {function}: the host ends", errors)

    def test_in_a_price_catalogue_of_a_plugin_in_the_host(self):
        self.start_others()
        self.reconfigure(self.played.replace('"m1"', '"rates:hang"'))
        self.answers_to(self.ask("zebra?", "code"))
        self.end_others()
        self.assertIn(f"plugin {MODELS} has not returned from rates", self.stop())


class ExchangeInProcess(Trouble):
    """Functions of an exchange, in the process of the host."""

    ISOLATION = IN_PROCESS

    def costs_its_question(self, function):
        self.start_others()
        self.reconfigure(EXCHANGE)
        self.costs(self.ask(f"{function}:hang zebra?", "code"), MODELS, f"did not return from {function}")
        self.end_others()
        errors = self.stop()
        self.assertIn(f"plugin {MODELS} does not return from {function}: the call is given up", errors)
        self.assertIn(f"plugin {MODELS} has not returned from {function}: the host ends", errors)

    def test_in_begin(self):
        self.costs_its_question("begin")

    def test_in_request(self):
        self.costs_its_question("request")


if __name__ == "__main__":
    unittest.main()
