"""Model servers that deviate from their protocol: a stand-in for all five protocols, and what a caller
is to see of each deviation, which docs/configuration.md lists."""

import gzip
import http.server
import json
import threading

ANSWER = "It is off by default 🙂 [code:README.md#L3]."
THOUGHT = "The reader wants the default."
CALL = {"path": "code/README.md"}
HERMES = f'<tool_call>{json.dumps({"name": "read", "arguments": CALL})}</tool_call>'
# The providers of each protocol, and what the table calls them.
PROVIDERS = {"chat": ("openai", "openrouter", "groq", "mistral", "deepseek", "lmstudio", "llamacpp", "vllm"),
             "responses": ("openai",), "messages": ("anthropic",), "gemini": ("gemini",),
             "ollama": ("ollama",)}
HEADS = {"chat": "`openai` (chat), `openrouter`, `groq`, `mistral`, `deepseek`, `lmstudio`, `llamacpp`, `vllm`",
         "responses": "`openai` (responses)", "messages": "`anthropic`", "gemini": "`gemini`",
         "ollama": "`ollama`"}
PROTOCOLS = tuple(PROVIDERS)

# What the caller sees.
WHOLE = "the answer"
APART = "answer and reasoning apart"
CALLED = "the tool is called"
AGAIN = "asked once more"
LENGTH = "`length`"
FILTER = "`contentFilter`"
ERROR = "an error"
NONE = "—"


def written(arguments):
    """The arguments of a call as they are sent: a text as it stands."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


class Step:
    """The answer of a model, in the words of each protocol."""

    def __init__(self, text=ANSWER, calls=(), reason=None, index=None):
        self.pieces = [text] if isinstance(text, str) else list(text)
        self.calls, self.reason, self.index = list(calls), reason, index

    def place(self, number):
        return number if self.index is None else self.index

    def chat(self):
        def chunk(delta, reason=None, **more):
            return None, {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}
        events = [chunk({"content": piece}) for piece in self.pieces]
        for number, (name, arguments) in enumerate(self.calls):
            events.append(chunk({"tool_calls": [{
                "index": self.place(number), "id": f"c{number}",
                "function": {"name": name, "arguments": written(arguments)}}]}))
        events.append(chunk({}, self.reason or ("tool_calls" if self.calls else "stop")))
        return events + [(None, "[DONE]")]

    def responses(self):
        events = [("response.output_text.delta", {"delta": piece}) for piece in self.pieces]
        for number, (name, arguments) in enumerate(self.calls):
            item = {"type": "function_call", "call_id": f"c{number}", "name": name}
            place = {"output_index": self.place(number)}
            events.append(("response.output_item.added", {"item": item, **place}))
            events.append(("response.function_call_arguments.delta",
                           {"delta": written(arguments), **place}))
            events.append(("response.output_item.done",
                           {"item": {**item, "arguments": written(arguments)}, **place}))
        kind = "incomplete" if self.reason else "completed"
        details = {"incomplete_details": {"reason": self.reason}} if self.reason else {}
        events.append((f"response.{kind}", {"response": {"status": kind, **details}}))
        return [(name, {"type": name, **data}) for name, data in events]

    def messages(self):
        events = [("message_start", {"message": {"role": "assistant", "content": []}})]
        blocks = [({"type": "text", "text": ""}, [{"type": "text_delta", "text": piece}
                                                  for piece in self.pieces])] if self.pieces else []
        for number, (name, arguments) in enumerate(self.calls):
            blocks.append(({"type": "tool_use", "id": f"c{number}", "name": name, "input": {}},
                           [{"type": "input_json_delta", "partial_json": written(arguments)}]))
        for number, (block, deltas) in enumerate(blocks):
            place = {"index": self.place(number)}
            events.append(("content_block_start", {"content_block": block, **place}))
            events += [("content_block_delta", {"delta": delta, **place}) for delta in deltas]
            events.append(("content_block_stop", place))
        reason = self.reason or ("tool_use" if self.calls else "end_turn")
        events.append(("message_delta", {"delta": {"stop_reason": reason}}))
        events.append(("message_stop", {}))
        return [(name, {"type": name, **data}) for name, data in events]

    def gemini(self):
        def chunk(parts, **more):
            return None, {"candidates": [{"content": {"role": "model", "parts": parts}, **more}]}
        parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in self.calls]
        return ([chunk([{"text": piece}]) for piece in self.pieces]
                + [chunk(parts, finishReason=self.reason or "STOP")])

    def ollama(self):
        calls = [{"function": {"name": name, "arguments": arguments}} for name, arguments in self.calls]
        return ([(None, {"message": {"content": piece}, "done": False}) for piece in self.pieces]
                + [(None, {"message": {"content": "", "tool_calls": calls}, "done": True,
                           "done_reason": self.reason or "stop"})])

    def whole(self, protocol):
        """The reply of a server that does not stream."""
        text = "".join(self.pieces)
        return {
            "chat": {"choices": [{"message": {"content": text}, "finish_reason": "stop"}]},
            "responses": {"object": "response", "status": "completed", "output": [
                {"type": "message", "content": [{"type": "output_text", "text": text}]}]},
            "messages": {"type": "message", "content": [{"type": "text", "text": text}],
                         "stop_reason": "end_turn"},
            "gemini": {"candidates": [{"content": {"parts": [{"text": text}]},
                                       "finishReason": "STOP"}]},
            "ollama": {"message": {"content": text}, "done": True, "done_reason": "stop"},
        }[protocol]


class Reply:
    """A response: events of (name, data) in the framing of the protocol, or `body` in their place."""

    def __init__(self, events=(), body=None, kind=None, names=True, blank="\n\n", line="\n",
                 held=False, cut=False, zipped=False, status=200):
        self.events, self.body, self.kind = list(events), body, kind
        self.names, self.blank, self.line, self.held, self.cut = names, blank, line, held, cut
        self.zipped, self.status = zipped, status

    def bytes(self, protocol):
        if self.body is not None:
            return self.body.encode()
        out = []
        for name, data in self.events:
            data = data if isinstance(data, str) else json.dumps(data)
            if protocol == "ollama":
                out.append(data + "\n")
            else:
                out.append((f"event: {name}\n" if name and self.names else "")
                           + f"data: {data}{self.blank}")
        return "".join(out).replace("\n", self.line).encode()


def events(protocol, *given, **more):
    return getattr(Step(*given, **more), protocol)()


def without_marker(protocol):
    """The events up to the reason to end."""
    said = events(protocol)
    return said[:-1] if protocol in ("chat", "messages") else said


def split_emoji(protocol):
    """Its two halves, as they are written in JSON, in two events."""
    said = json.dumps(ANSWER)
    at = said.index("\\ude42")
    marks = ["@first@", "@second@"]
    text = Reply(events(protocol, marks)).bytes(protocol).decode()
    return Reply(body=text.replace("@first@", said[1:at]).replace("@second@", said[at:-1]))


def array(protocol):
    said = [data for _, data in events(protocol) if not isinstance(data, str)]
    return Reply(body=json.dumps(said), kind="application/json")


def growing(protocol):
    """Deltas of which each has the whole text so far."""
    words = ANSWER.split(" ")
    return Reply(events(protocol, [" ".join(words[:count + 1]) for count in range(len(words))]))


def word_for(protocol, **words):
    return Reply(events(protocol, reason=words.get(protocol, words["others"])))


# name: (the reply to the first request, what is seen by protocol; "others" for those not named)
DEVIATIONS = {
    "Events without names": (
        lambda p: Reply(events(p), names=False),
        {"chat": NONE, "gemini": NONE, "ollama": NONE, "others": WHOLE}),
    "No blank lines between events": (
        lambda p: Reply(events(p), blank="\n"), {"ollama": NONE, "others": WHOLE}),
    "Lines that end with CRLF": (
        lambda p: Reply(events(p), line="\r\n"), {"others": WHOLE}),
    "A stream labelled as JSON": (
        lambda p: Reply(events(p), kind="application/json"), {"others": WHOLE}),
    "A whole reply, labelled as a stream": (
        lambda p: Reply(body=json.dumps(Step().whole(p))), {"others": WHOLE}),
    "An array of chunks": (array, {"others": WHOLE}),
    "Compressed without being asked": (
        lambda p: Reply(events(p), zipped=True), {"others": WHOLE}),
    "An error in a shape of its own": (
        lambda p: Reply(body="data: " + json.dumps({"detail": "no quota"}) + "\n\n"),
        {"others": ERROR}),
    "Plain text with status 200": (
        lambda p: Reply(body="the account is closed", kind="text/plain"), {"others": ERROR}),
    "Overload or a rate limit told with status 200": (
        lambda p: Reply(body="rate limit exceeded", kind="text/plain"), {"others": AGAIN}),
    "Connected after the protocol's end": (
        lambda p: Reply(events(p), held=True), {"gemini": NONE, "others": WHOLE}),
    "Broken after the reason to end": (
        lambda p: Reply(without_marker(p), cut=True),
        {"responses": NONE, "ollama": NONE, "others": WHOLE}),
    "Broken before the reason to end": (
        lambda p: Reply(events(p)[:-2] or events(p)[:1], cut=True), {"others": ERROR}),
    "Ended before the reason to end": (
        lambda p: Reply(events(p)[:-2] or events(p)[:1]), {"others": ERROR}),
    "A character in two deltas": (split_emoji, {"others": WHOLE}),
    "Deltas that repeat the whole text so far": (growing, {"others": WHOLE}),
    "Redirected with 301, to the address with a slash": (
        lambda p: Reply(status=301), {"others": WHOLE}),
    "An error as JSON within the text of an error": (
        lambda p: Reply(body="data: " + json.dumps(
            {"error": {"message": json.dumps({"error": {"message": "no quota"}})}}) + "\n\n"),
        {"messages": AGAIN, "others": ERROR}),
    "`<think>` in the text": (
        lambda p: Reply(events(p, f"<think>{THOUGHT}</think>\n\n{ANSWER}")), {"others": APART}),
    "Only `</think>` in the text": (
        lambda p: Reply(events(p, f"Okay. {THOUGHT}\n</think>\n\n{ANSWER}")), {"others": APART}),
    "`<Think>` with attributes, in another case": (
        lambda p: Reply(events(p, f'<Think a="b">{THOUGHT}</THINK>\n\n{ANSWER}')),
        {"others": APART}),
    "`<think>` within `<think>`": (
        lambda p: Reply(events(p, f"<think>Hm. <think>{THOUGHT}</think> So.</think>{ANSWER}")),
        {"others": APART}),
    "A mark of the model's template behind the text": (
        lambda p: Reply(events(p, [ANSWER, "<|im_", "end|>"])), {"others": WHOLE}),
    "The next turn behind the text": (
        lambda p: Reply(events(p, [ANSWER, "<|im_end|>\n<|im_start|>user\nAnd now?"])),
        {"others": WHOLE}),
    "A tool call as text": (
        lambda p: Reply(events(p, HERMES)), {"others": CALLED}),
    "A tool call as text in the form of LM Studio": (
        lambda p: Reply(events(p, f"[TOOL_REQUEST]{HERMES[11:-12]}[END_TOOL_REQUEST]")),
        {"others": CALLED}),
    "A tool call as an element with the tool's name": (
        lambda p: Reply(events(p, "<read>\n<path>code/README.md</path>\n</read>")),
        {"others": CALLED}),
    "A tool call as text, and a result that the model invented": (
        lambda p: Reply(events(p, HERMES + "\n<tool_response>\nIt is on.\n</tool_response>")),
        {"others": CALLED}),
    "A tool call as text with literals of Python": (
        lambda p: Reply(events(p, "{'name': 'read', 'arguments': {'path': 'code/README.md'}}")),
        {"others": CALLED}),
    "Arguments in a block of code, with literals of Python": (
        lambda p: Reply(events(p, [], calls=[
            ("read", "```json\n{'path': 'code/README.md',}\n```")])), {"others": CALLED}),
    "Arguments that are wrapped once more": (
        lambda p: Reply(events(p, [], calls=[("read", {"arguments": CALL})])), {"others": CALLED}),
    "A tool call within `<think>`": (
        lambda p: Reply(events(p, f"<think>{THOUGHT}\n{HERMES}")), {"others": CALLED}),
    "A tool call as text that is cut": (
        lambda p: Reply(events(p, HERMES[:-30])), {"others": AGAIN}),
    "Marks at the name of a tool": (
        lambda p: Reply(events(p, "", calls=[("functions.read<|channel|>commentary", CALL)])),
        {"others": CALLED}),
    "Calls with one index": (
        lambda p: Reply(events(p, [], calls=[("read", CALL), ("read", CALL)], index=0)),
        {"gemini": NONE, "ollama": NONE, "others": CALLED}),
    "The limit of length, in another's word": (
        lambda p: word_for(p, chat="MAX_TOKENS", responses="max_tokens", others="token_limit"),
        {"others": LENGTH}),
    "A filter, in another's word": (
        lambda p: word_for(p, chat="SAFETY", others="content_filter"), {"others": FILTER}),
    "A call that the server could not read": (
        lambda p: Reply(events(p, [], reason="MALFORMED_FUNCTION_CALL")),
        {"responses": NONE, "others": AGAIN}),
}

# These take real time, since the end is certain only once nothing follows it.
SLOW_DEVIATIONS = {
    "Connected after the reason to end": (
        lambda p: Reply(without_marker(p), held=True),
        {"responses": NONE, "ollama": NONE, "others": WHOLE}),
}


def seen_of(expected, protocol):
    return expected.get(protocol, expected["others"])


def table():
    """The table of docs/configuration.md."""
    lines = ["| deviation | " + " | ".join(HEADS.values()) + " |", "|---" * (len(HEADS) + 1) + "|"]
    for name, (_, expected) in {**DEVIATIONS, **SLOW_DEVIATIONS}.items():
        lines.append(f"| {name} | " + " | ".join(seen_of(expected, p) for p in PROTOCOLS) + " |")
    return "\n".join(lines)


class ModelServer:
    """Answers the first request for a question with the reply set for it, later ones by the book."""

    def __init__(self, protocol):
        self.protocol, self.replies, self.counts = protocol, {}, {}
        self.over = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_error(404)

            def do_POST(self):
                outer.answer(self)

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # the client has the answer, and does not wait for the end of the body

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"])).decode()
        number = max((n for n in self.replies if f"question {n:03}" in body), default=None)
        if number is None:
            return handler.send_error(404)
        self.counts[number] = self.counts.get(number, 0) + 1
        reply = self.replies[number]
        if self.counts[number] > 1:
            reply = Reply(events(self.protocol))
        sent = reply.bytes(self.protocol)
        if reply.zipped:
            sent = gzip.compress(sent)
        streams = "application/x-ndjson" if self.protocol == "ollama" else "text/event-stream"
        handler.send_response(reply.status)
        if reply.status != 200:
            handler.send_header("Location", handler.path.replace("?", "/?") if "?" in handler.path
                                else handler.path + "/")
        handler.send_header("Content-Type", reply.kind or streams)
        handler.send_header("Transfer-Encoding", "chunked")
        if reply.zipped:
            handler.send_header("Content-Encoding", "gzip")
        handler.end_headers()
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(sent), sent))
        if reply.cut:
            handler.close_connection = True
            return None
        if reply.held:
            handler.wfile.flush()
            self.over.wait()
        handler.wfile.write(b"0\r\n\r\n")
        return None

    def stop(self):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()
