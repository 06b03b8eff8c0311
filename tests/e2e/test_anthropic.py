"""Anthropic's Messages API: thinking is sent back signed, and the cache is used and billed."""

import http.server
import json
import threading
import unittest

from harness import KEY, KEY_VARIABLE, TestCase, check_stream

SIGNATURE = "EqQBCkYIBxgCKkB/+=="


def events(*datas):
    return "".join(f"event: {data['type']}\ndata: {json.dumps(data)}\n\n" for data in datas).encode()


def block(index, content, *deltas):
    return [{"type": "content_block_start", "index": index, "content_block": content},
            *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
            {"type": "content_block_stop", "index": index}]


def message(usage, blocks, stop_reason, output_tokens):
    return events({"type": "message_start", "message": {"role": "assistant", "usage": usage}},
                  {"type": "ping"}, *blocks,
                  {"type": "message_delta", "delta": {"stop_reason": stop_reason},
                   "usage": {"output_tokens": output_tokens}}, {"type": "message_stop"})


LOOKS = message(
    {"input_tokens": 20, "cache_creation_input_tokens": 5000, "cache_read_input_tokens": 0},
    block(0, {"type": "thinking", "thinking": "", "signature": ""},
          {"type": "thinking_delta", "thinking": "Where do zebras ship?"},
          {"type": "signature_delta", "signature": SIGNATURE}) +
    block(1, {"type": "redacted_thinking", "data": "EmwKAhgB"}) +
    block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}) +
    block(3, {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {}},
          {"type": "input_json_delta", "partial_json": ""},
          {"type": "input_json_delta", "partial_json": '{"path": "docs/a.md"}'}) +
    block(4, {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {}},
          {"type": "input_json_delta", "partial_json": '{"path": "docs/none.md"}'}),
    "tool_use", 40)
ANSWERS = message(
    {"input_tokens": 30, "cache_creation_input_tokens": 200, "cache_read_input_tokens": 5000},
    block(0, {"type": "text", "text": ""},
          {"type": "text_delta", "text": "On Friday [docs:a.md#L1]."}), "end_turn", 10)


class Replay:
    """Answers each request with the next of these bodies, and records the requests."""

    def __init__(self, *bodies):
        self.requests, waiting = [], iter(bodies)
        requests = self.requests

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((self.path, self.headers, json.loads(body)))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream; charset=utf-8")
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(next(waiting))

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Messages(TestCase):
    def ask(self, options=""):
        peer = Replay(LOOKS, ANSWERS)
        self.addCleanup(peer.stop)
        self.home.write("docs/a.md", "The zebra ships on Friday.\n")
        self.home.write("quarry.toml", f"""
[[resource]]
type = "local"
name = "docs"
path = "{self.home.project}/docs"
[model]
provider = "anthropic"
name = "claude-haiku-4-5"
base_url = "{peer.url}"
api_key = {{ env = "{KEY_VARIABLE}" }}
{options}
[pricing.static."anthropic/claude-haiku-4-5"]
input = "1"
output = "5"
cacheRead = "0.1"
cacheWrite = "1.25"
""")
        told = self.serve().ask("When does the zebra ship?")
        check_stream(self, told)
        return told[-1].data, peer.requests

    def test_thinking_goes_back_as_it_came_before_what_it_led_to(self):
        done, requests = self.ask('thinking = "high"\ntemperature = 0.5')
        self.assertEqual(done["text"], "I look.\n\nOn Friday [docs:a.md#L1].")
        self.assertEqual(done["reasoning"], "Where do zebras ship?")
        self.assertEqual([c["verified"] for c in done["citations"]], [True])
        self.assertEqual([path for path, _, _ in requests], ["/v1/messages"] * 2)
        for _, headers, body in requests:
            self.assertEqual(headers["x-api-key"], KEY)
            self.assertEqual(headers["anthropic-version"], "2023-06-01")
            self.assertEqual(body["output_config"], {"effort": "high"})
            self.assertNotIn("temperature", body)
        _, assistant, results = requests[1][2]["messages"]
        self.assertEqual(assistant["content"], [
            {"type": "thinking", "thinking": "Where do zebras ship?", "signature": SIGNATURE},
            {"type": "redacted_thinking", "data": "EmwKAhgB"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "docs/a.md"}},
            {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {"path": "docs/none.md"}}])
        found, missing = results["content"]
        self.assertEqual((found["type"], found["tool_use_id"]), ("tool_result", "toolu_1"))
        self.assertIn("The zebra ships on Friday.", found["content"])
        self.assertEqual((missing["tool_use_id"], missing["is_error"]), ("toolu_2", True))

    def test_what_one_step_caches_the_next_one_reads_and_both_are_paid(self):
        done, requests = self.ask()
        first, second = (body for _, _, body in requests)
        for body in (first, second):
            self.assertIn("cache_control", body["tools"][-1])
            self.assertIn("cache_control", body["system"][-1])
            self.assertLessEqual(json.dumps(body).count("cache_control"), 4)
        self.assertEqual(first["tools"], second["tools"])
        self.assertEqual(first["system"], second["system"])
        self.assertEqual(second["messages"][:1], first["messages"])
        self.assertEqual(done["usage"]["inputTokens"], 10250)
        self.assertEqual(done["usage"]["outputTokens"], 50)
        # 50 uncached, 5,200 written and 5,000 read, 50 out.
        self.assertAlmostEqual(done["metrics"]["pricing"]["costUsd"]["total"],
                               (50 * 1 + 5200 * 1.25 + 5000 * 0.1 + 50 * 5) / 1e6, places=9)


if __name__ == "__main__":
    unittest.main()
