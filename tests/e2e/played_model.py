"""A model scripted by a test, with the invented protocol of the fixture provider."""

import asyncio
import json
import re
import threading


def refusal(seconds):
    """A whole response: 429, to be asked again after so many seconds."""
    return (f"HTTP/1.1 429 Too Many Requests\r\nRetry-After: {seconds}\r\nContent-Length: 0\r\n"
            "Connection: close\r\n\r\n").encode()


class PlayedModel(threading.Thread):
    """Answers every request with the items of `script(number)`: texts to send, lines of the
    protocol as objects, seconds to wait, HANG to send nothing more until it is released; or with one
    whole response as bytes, such as `refusal(2)`.
    `requests` are their bodies, `heads` their headers, and `tokens` the usage reported for each
    answer without an end of its own."""

    HANG = object()
    tokens = (1000, 10)

    def __init__(self, script=lambda number: ["Hello."]):
        super().__init__(daemon=True)
        self.script, self.requests, self.heads = script, [], []
        self.ready = threading.Event()
        self.start()
        self.ready.wait()

    @property
    def count(self):
        return len(self.requests)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        self.loop = asyncio.get_running_loop()
        self.over = asyncio.Event()
        self.released = asyncio.Event()
        server = await asyncio.start_server(self.talk, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        async with server:
            await self.over.wait()

    def release(self):
        self.loop.call_soon_threadsafe(self.released.set)

    def stop(self):
        self.release()
        self.loop.call_soon_threadsafe(self.over.set)
        self.join()

    async def talk(self, reader, writer):
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(re.search(rb"content-length: *(\d+)", head, re.I).group(1))
            self.heads.append(head.decode())
            self.requests.append((await reader.readexactly(length)).decode())
            parts = self.script(self.count)
            if isinstance(parts, bytes):
                writer.write(parts)
                return await writer.drain()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
            ended = False
            for part in parts:
                if part is self.HANG:
                    await writer.drain()
                    await self.released.wait()
                elif isinstance(part, (str, dict)):
                    line = {"say": part} if isinstance(part, str) else part
                    ended = ended or "end" in line
                    writer.write(json.dumps(line).encode() + b"\n")
                    await writer.drain()
                else:
                    await asyncio.sleep(part)
            if not ended:
                writer.write(json.dumps({"tokens": self.tokens}).encode() + b'\n{"end":"stop"}\n')
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()
