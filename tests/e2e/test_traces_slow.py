"""Collectors that refuse, are busy or never answer: each batch of spans waits for its interval of 5 s."""

import re
import unittest

import harness
import test_traces


class Later(test_traces.TraceCase):
    def dropped(self, server):
        found = re.findall(r'^quarry_spans_dropped_total\{reason="(\w+)"\} (\d+)$',
                           server.request("GET", "/metrics")[2], re.M)
        return {reason: int(count) for reason, count in found}

    def test_a_collector_that_never_answers(self):
        collector = self.collector(*[None] * 9)
        self.configure(collector.url, grace=100)
        server = self.serve()
        self.ask(server)
        collector.wait_for(1)
        self.ask(server)
        lines = self.end_and_tell(server)
        self.assertRegex(lines[-1], r"\d+ spans were not delivered before the end")

    def test_a_collector_that_is_busy_gets_them_later(self):
        collector = self.collector(503, 429)
        self.configure(collector.url)
        self.model.script = lambda number: [test_traces.ANSWER]
        server = self.serve()
        self.ask(server)
        collector.wait_for(3)
        self.assertEqual({body for _, _, body in collector.requests}, {collector.requests[0][2]})
        self.assertEqual(self.dropped(server), {})
        lines = self.end_and_tell(server)
        self.assertEqual([re.search(r"HTTP \d+", line).group() for line in lines],
                         ["HTTP 503", "HTTP 429"])

    def test_a_collector_that_refuses_is_told_once(self):
        collector = self.collector(*[401] * 9)
        self.configure(collector.url)
        server = self.serve()
        self.ask(server)
        collector.wait_for(1)
        harness.wait_until(lambda: self.dropped(server), "the spans are dropped")
        self.ask(server)
        collector.wait_for(2)
        lines = self.end_and_tell(server)
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("HTTP 401", lines[0])


if __name__ == "__main__":
    unittest.main()
