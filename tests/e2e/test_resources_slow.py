"""What a reader is told in the ten seconds after which a stream that has nothing to say begins."""

import json
import unittest

from source_harness import ResourceTestCase


class Progress(ResourceTestCase):
    def test_events_are_extended_only_when_asked_for(self):
        self.configure()
        self.source.say("BUSY", "")
        server = self.serve()
        body = {"question": "zebra?"}
        with server.stream("/question/stream?events=extended", body) as (_, _, extended):
            with server.stream("/question/stream", body) as (_, _, plain):
                first = next(extended)
                self.assertEqual((first.type, first.data["resource"]), ("resource.progress", "zoo"))
                comment = next(plain)
                self.assertIsNone(comment.type)
                self.assertEqual(json.loads(comment.text)["message"], "receiving")
                self.source.unsay("BUSY")
                self.assertEqual({event.type for event in plain if event.type} & {"resource.progress", "citation"}, set())
                self.assertIn("citation", {event.type for event in extended})


if __name__ == "__main__":
    unittest.main()
