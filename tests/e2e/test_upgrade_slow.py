"""`quarry upgrade-in-place`, several times beside many clients."""

import functools
import itertools
import threading
import unittest

from harness import check_stream, wait_until
from upgrade_harness import Upgrade, alive


class ManyClients(Upgrade):
    def test_nobody_is_refused_and_no_event_is_lost_in_several_upgrades(self):
        self.model.script = lambda number: [part for i in range(40) for part in (f"part {i}, ", 0.05)]
        server = self.serve("--set", "server.max_questions=1000")
        over, faults, answered, streams = threading.Event(), [], [], []

        def interrupted():
            """The events of a question whose reader connects again after each third."""
            with server.stream(body={"question": "How are dates parsed?", "resources": ["code"]}) as (
                    status, _, begun):
                self.assertEqual(status, 200)
                events = list(itertools.islice((event for event in begun if event.type), 20))
            number = next(event.data["id"] for event in events if event.type == "meta")
            while events[-1].type not in ("done", "error"):
                with server.stream(f"/question/{number}/events?after={events[-1].id}") as (status, _, more):
                    self.assertEqual(status, 200, more)
                    events += itertools.islice((event for event in more if event.type), 12)
            return events

        def request():
            while not over.is_set():
                try:
                    status = server.request("GET", "/livez")[0]
                    answered.append(status)
                    if status != 200:
                        faults.append(f"status {status}")
                except OSError as error:
                    faults.append(f"request: {error!r}")

        def ask(get_events):
            while not over.is_set():
                try:
                    events = get_events()
                    check_stream(self, events)
                    self.assertEqual(events[-1].data["text"].count("part"), 40)
                    streams.append(events[0].data)
                except Exception as error:  # also those of the checks: each is a fault of the server
                    faults.append(f"stream: {error!r}")

        threads = [threading.Thread(target=request) for _ in range(4)]
        whole = functools.partial(server.ask, "How are dates parsed?", ["code"])
        threads += [threading.Thread(target=ask, args=[events]) for events in [whole, interrupted] * 12]
        for thread in threads:
            thread.start()
        process, processes = server.process.pid, []
        try:
            for _ in range(4):
                processes.append(process)
                count = len(streams) + 10
                process = self.upgrade(process)
                wait_until(lambda count=count: len(streams) >= count or faults, "streams end")
        finally:
            over.set()
            for thread in threads:
                thread.join()
        self.assertEqual(faults, [])
        self.assertGreater(len(answered), 100)
        for one in processes:
            wait_until(lambda one=one: not alive(one), "the replaced processes have ended")
        self.assertTrue(alive(process))
        self.end(process)
        self.assertNotIn("took the place of this one", server.stop()[1])


if __name__ == "__main__":
    unittest.main()
