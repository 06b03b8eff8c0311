"""Several hosts on one PostgreSQL, behind a round-robin balancer."""

import asyncio
import contextlib
import json
import math
import threading
import time
import unittest

import harness
from cloud_harness import PLAYED, Host, folder, tool
from harness import TIMEOUT, TestCase, wait_until
from played_model import PlayedModel
from postgres_server import MISSING, PostgresServer

STORE = 'provider = "postgresql"\nurl = { env = "STORE_URL" }'
PRICED = '[pricing.static."fixture/m1"]\ninput = "1"\noutput = "2"\n'
COST = 0.00102  # USD of one answer of the scripted model
CALLERS = 500


class Balancer(threading.Thread):
    """Uses the hosts in turn, and the next one when one is down."""

    def __init__(self, ports):
        super().__init__(daemon=True)
        self.ports, self.turn = ports, 0
        self.ready = threading.Event()
        self.start()
        self.ready.wait()

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        self.loop = asyncio.get_running_loop()
        self.over = asyncio.Event()
        server = await asyncio.start_server(self.carry, "127.0.0.1", 0, backlog=1024)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        async with server:
            await self.over.wait()

    def stop(self):
        self.loop.call_soon_threadsafe(self.over.set)
        self.join()

    async def connect(self):
        for _ in self.ports:
            self.turn += 1
            with contextlib.suppress(OSError):
                return await asyncio.open_connection(
                    "127.0.0.1", self.ports[self.turn % len(self.ports)])
        raise OSError("no host is left")

    async def carry(self, reader, writer):
        async def pump(source, drain):
            with contextlib.suppress(OSError):
                while data := await source.read(65536):
                    drain.write(data)
                    await drain.drain()
            drain.close()

        try:
            far_reader, far_writer = await self.connect()
        except OSError:
            return writer.close()
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))


class Caller:
    """Makes calls over separate connections, and retries failed ones."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.retries = 0

    async def once(self, message):
        """(status, body) of one call; None when the connection broke."""
        body = json.dumps(message).encode()
        writer = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.write((f"POST /api/mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                          f"Content-Type: application/json\r\nAuthorization: Bearer {self.token}\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n").encode() + body)
            head = await reader.readuntil(b"\r\n\r\n")
            text = await reader.read()
            return int(head.split()[1]), json.loads(text)
        except (OSError, asyncio.IncompleteReadError, ValueError):
            return None
        finally:
            if writer:
                writer.close()

    async def call(self, name, arguments):
        """The result of the tool, however often it takes."""
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            answer = await self.once(tool(name, arguments))
            if answer and answer[0] == 200:
                return answer[1]["result"]
            self.retries += 1
            await asyncio.sleep(0.25)
        raise AssertionError(f"{name}: {answer}")


@unittest.skipIf(MISSING, MISSING)
class Hosts(TestCase):
    def setUp(self):
        super().setUp()
        self.server = PostgresServer()
        self.addCleanup(self.server.remove)
        self.env = {"STORE_URL": self.server.url}
        folder(self.home)

    def start(self, count, **more):
        hosts = []
        for number in range(count):
            home = self.home if number == 0 else harness.Home()
            if number:
                self.addCleanup(home.remove)
            host = Host(home, store=STORE, root=self.home.path, **more)
            if number == 0:
                host.project("docs", env=self.env)
            hosts.append(host.start(self.env))
            self.addCleanup(self.end, host)
        return hosts

    def end(self, host):
        if host.process.poll() is None:
            code, errors = host.stop()
            self.assertEqual(code, 0, errors)

    def test_five_hundred_callers_and_one_host_killed(self):
        model = PlayedModel()
        self.addCleanup(model.stop)
        hosts = self.start(2, model=PLAYED.format(url=model.url),
                           more=f"server.max_questions = 2000\n{PRICED}[access]\nmax_resources = 10000\n")
        token = hosts[0].token("docs", env=self.env)["token"]
        frugal = hosts[0].token("docs", "--usd-per-day", f"{100 * COST:.5f}", env=self.env)["token"]
        balancer = Balancer([host.port for host in hosts])
        self.addCleanup(balancer.stop)
        added = folder(self.home)
        self.assertFalse(hosts[0].call(token, "addResource", added)["isError"])
        accepted, answered, refused = set(), [], []

        async def one(number):
            caller, spender = Caller(balancer.port, token), Caller(balancer.port, frugal)
            name = f"r{number}"
            result = await caller.call("addResource", {**added, "name": name})
            self.assertFalse(result["isError"], result)
            accepted.add(name)
            if len(accepted) == CALLERS // 4:
                hosts[1].kill()  # in the middle of calls of the others
            await caller.call("listResources", {})
            result = await spender.call("ask", {"question": "q", "resources": ["docs"]})
            (refused if result["isError"] else answered).append(result)
            return caller.retries + spender.retries

        async def all_of_them():
            return sum(await asyncio.gather(*(one(number) for number in range(CALLERS))))

        self.assertGreater(asyncio.run(all_of_them()), 0, "the kill was noticed by nobody")
        self.assertEqual(len(accepted), CALLERS)

        # This host learns of the other's latest accepted calls with the next exchange.
        wait_until(lambda: accepted <= set(hosts[0].resources(token)), "every accepted write is there")
        for result in refused:
            self.assertEqual(result["structuredContent"]["tag"], "BudgetError", result)
        self.assertGreater(len(answered), 0)
        self.assertLessEqual(model.count * COST, (100 + 1) * COST)

    def test_a_revocation_holds_on_every_host(self):
        one, other = self.start(2)
        made = one.token("docs", env=self.env)
        for host in (one, other):
            self.assertEqual(host.post(made["token"], tool("listResources", {}))[0], 200)
        one.manage("tokens", "revoke", made["id"], env=self.env)
        for host in (one, other):
            wait_until(lambda: host.post(made["token"], tool("listResources", {}))[0] == 401,
                       "the token is over")

    def test_requests_a_minute_are_those_of_all_hosts(self):
        hosts = self.start(2)
        token = hosts[0].token("docs", "--requests-per-minute", "20", env=self.env)["token"]

        def admitted():
            """The number of calls admitted before both hosts refuse."""
            count = 0
            while True:
                statuses = [host.post(token, tool("listResources", {}))[0] for host in hosts]
                count += statuses.count(200)
                if statuses == [429, 429]:
                    return count

        began = time.monotonic()
        count = admitted()
        # Each host may admit as many before it learns of the others, and the limit once more with each minute.
        self.assertLessEqual(count, 40 + 20 * math.ceil((time.monotonic() - began) / 60))

    def test_a_database_that_is_away_is_told_and_comes_back(self):
        host, = self.start(1)
        token = host.token("docs", env=self.env)["token"]
        self.assertEqual(host.post(token, tool("listResources", {}))[0], 200)
        self.server.kill()
        status = wait_until(
            lambda: (answer := host.post(token, tool("listResources", {})))[0] == 503 and answer,
            "nobody is let in")
        self.assertIn("Retry-After", status[1])
        self.server.start()
        wait_until(lambda: host.post(token, tool("listResources", {}))[0] == 200, "it is back")


if __name__ == "__main__":
    unittest.main()
