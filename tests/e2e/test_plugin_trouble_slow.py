"""Plugins that take memory and processes until they are refused more, and ten that hang, while others answer questions."""

import contextlib
import threading
import unittest

from harness import wait_until
from trouble_harness import BAD, ECHO, GREEDY, IN_PROCESS, Rows, Trouble

HUNG = 10


class GreedyRows(Rows):
    def test_of_resources_and_models(self):
        self.each(GREEDY, self.resource_and_model)

    def test_of_price_catalogues(self):
        self.each(GREEDY, self.price_catalogue)


class TenHungFetches(Trouble):
    """Of one plugin, each for an hour, while a folder and another type are read."""

    def setUp(self):
        super().setUp()
        self.reconfigure(ECHO, "".join(BAD.format(i, "fetch:hang", i + 1) for i in range(HUNG))
                         + '[[resource]]\ntype = "hello"\nname = "other"\n')

    def fetch(self, name):
        """A question whose resource is fetched, or waits for that, until the server ends."""
        body = {"question": "zebra?", "resources": [name]}
        with contextlib.suppress(OSError), self.server.stream(
                "/question/stream?events=extended", body) as (_, _, events):
            for event in events:
                if event.type == "resource.progress":
                    self.fetching.add(name)

    def test_delay_no_other_and_not_the_end(self):
        self.fetching = set()
        fetches = [threading.Thread(target=self.fetch, args=(f"bad{i}",)) for i in range(HUNG)]
        for fetch in fetches:
            fetch.start()
        wait_until(lambda: len(self.fetching) == HUNG, "all have begun")
        self.answers_to(self.ask("zebra?", "code"))
        self.answers_to(self.ask("welcome?", "other"))
        self.stop()
        for fetch in fetches:
            fetch.join()


class TenHungFetchesInProcess(TenHungFetches):
    ISOLATION = IN_PROCESS


if __name__ == "__main__":
    unittest.main()
