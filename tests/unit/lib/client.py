#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""client: the sockets of electd.py, with a small electd in this process.

Each wait ends with an event. The limit PATIENCE only ends a test that hangs.
"""
import contextlib
import errno
import json
import os
import queue
import random
import resource
import select
import signal
import socket
import sys
import tempfile
import threading
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../lib/python"))

import electd  # noqa: E402

PATIENCE = 60
CALLS = 100  # answers alike: a slow machine calls again before this program looks
LONG_MS = 10**7
FULL = {"error": "io.electd.TooManyClients", "parameters": {}}
NOT_ALLOWED = {"error": "io.electd.NotAllowed", "parameters": {"method": "x"}}
SIMPLE = {"parameters": {}}


def boot_ms():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000000


def event(name, seq, role="leader", token=5, status=True, **more):
    host = {"id": "a1", "name": "alpha"}
    leader = {**host, "address": "192.0.2.1", "self": role == "leader"}
    keys = {
        "event": name,
        "seq": seq,
        "boot_ms": boot_ms(),
        "until_boot_ms": boot_ms() + LONG_MS if role == "leader" else None,
        "ending_ms": 50 if role == "leader" else None,
        "time_namespace": os.stat("/proc/self/ns/time").st_ino,
        "dead_after_ms": 100000,
    }
    if status:
        keys["status"] = {
            "domain": "d",
            "role": role,
            "token": str(token),
            "node": host,
            "leader": None if role == "none" else leader,
            "group": {"id": "alpha.7"},
            "members": [],
            "reason": "crash",
        }
    return {"parameters": {**keys, **more}, "continues": True}


def snapshot(role="leader", token=5, **more):
    return event("snapshot", 1, role, token, **{"holder": "h1", **more})


def packed(*replies):
    return b"".join(json.dumps(r).encode() + b"\0" for r in replies)


class Subscriber:
    """The end of a connection at electd."""

    def __init__(self, connection, parameters):
        self.connection = connection
        self.parameters = parameters

    def send(self, *replies):
        self.raw(packed(*replies))

    def raw(self, data):
        with contextlib.suppress(OSError):  # the client may have hung up
            self.connection.sendall(data)

    def end(self):
        """Ends like a killed electd with a copy that holds the socket."""
        self.connection.shutdown(socket.SHUT_WR)

    def is_open(self):
        self.connection.setblocking(False)
        try:
            return self.connection.recv(1) != b""
        except BlockingIOError:
            return True
        except ConnectionResetError:
            return False


class FakeElectd:
    """Accepts connections in a thread. Hands subscribers to the test, and answers other calls."""

    def __init__(self, path):
        self.path = path
        self.calls = queue.Queue()  # (method, parameters)
        self.subscribers = queue.Queue()
        self.answers = []  # of the next calls; then SIMPLE. None: hangs up; bytes: as they are
        self.full = 0  # so many connections are turned away
        self.open = []

    def start(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(self.path)
        self.listener.listen(64)
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()
        return self

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(PATIENCE)
        self.listener.close()
        for connection in self.open:
            connection.close()
        self.open.clear()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(connection)
            connection.settimeout(PATIENCE)
            with contextlib.suppress(OSError):
                self.serve(connection)

    def serve(self, connection):
        if self.full:
            self.full -= 1
            connection.sendall(packed(FULL))
            connection.close()
            return
        request = b""
        while not request.endswith(b"\0"):
            piece = connection.recv(65536)
            if not piece:
                return
            request += piece
        call = json.loads(request[:-1])
        parameters = call.get("parameters", {})
        if call["method"] == "io.electd.Subscribe":
            assert call["more"] is True
            self.subscribers.put(Subscriber(connection, parameters))
            return
        answer = self.answers.pop(0) if self.answers else SIMPLE
        self.calls.put((call["method"].removeprefix("io.electd."), parameters))
        if answer is not None:
            connection.sendall(answer if isinstance(answer, bytes) else packed(answer))
        connection.close()

    def subscriber(self):
        return self.subscribers.get(timeout=PATIENCE)

    def call(self):
        return self.calls.get(timeout=PATIENCE)


class Case(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = os.path.join(folder, "io.electd")
        self.running = None

    def tearDown(self):
        if self.running:
            self.running.stop()

    def start(self):
        self.running = FakeElectd(self.path).start()
        return self.running

    def client(self, name="worker"):
        client = electd.Client(name, socket=self.path)
        self.addCleanup(client.close)
        return client

    def until(self, client, done):
        """Processes until done() returns something true, and returns it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = done()
            if found:
                return found
            client.wait(0.2)
        self.fail("nothing came")

    def take(self, client, *types):
        """Takes one event of each type, in this order."""
        events = [self.until(client, client.process) for _ in types]
        self.assertEqual([e.type for e in events], list(types))
        return events[-1]

    def called(self, client, fake):
        """Processes until electd was called."""

        def done():
            client.process()
            return not fake.calls.empty()

        self.until(client, done)
        return fake.call()

    def between_calls(self, client, fake):
        """Waits until a call has been answered in vain. electd is not called again."""
        self.until(client, lambda: client.process() or not client._calls[0].socket)
        client._calls[0].again_ms = electd.NEVER
        while not fake.calls.empty():
            fake.call()

    def leading(self, **more):
        """A client that leads, electd, and the subscriber there."""
        fake = self.start()
        client = self.client()
        client.process()
        subscriber = fake.subscriber()
        subscriber.send(snapshot(**more))
        self.take(client, "snapshot")
        return client, fake, subscriber


class Connecting(Case):
    def test_connects_when_electd_comes_later(self):
        client = self.client()
        with self.assertRaises(electd.NotRunning):
            client.process()
        time.sleep(0.25)
        self.assertIsNone(client.process())  # the error is reported once
        fake = self.start()

        def connected():
            client.process()
            return not fake.subscribers.empty()

        self.until(client, connected)
        subscriber = fake.subscriber()
        self.assertEqual(subscriber.parameters, {"hold": True, "name": "worker"})
        subscriber.send(snapshot())
        self.take(client, "snapshot")

    def test_a_watcher_does_not_ask_to_hold(self):
        fake = self.start()
        client = self.client(None)
        client.process()
        self.assertEqual(fake.subscriber().parameters, {})

    def test_connects_again_after_the_end(self):
        client, fake, subscriber = self.leading()
        subscriber.connection.close()
        self.assertEqual(self.take(client, "lost").error, errno.ECONNRESET)

        def connected():
            client.process()
            return not fake.subscribers.empty()

        self.until(client, connected)
        fake.subscriber().send(snapshot("follower", 6))
        self.assertEqual(self.take(client, "snapshot").token, 6)

    def test_an_event_has_the_complete_state(self):
        client, _, subscriber = self.leading()
        subscriber.send(event("members", 2))
        got = self.take(client, "members")
        self.assertEqual(
            (got.role, got.token, got.group, got.leader, got.leader_id, got.leader_address),
            ("leader", 5, "alpha.7", "alpha", "a1", "192.0.2.1"),
        )
        self.assertEqual((got.reason, got.ending_ms), ("crash", 50))
        self.assertGreater(got.until_boot_ms, boot_ms())
        with self.assertRaises(AttributeError):
            got.token = 6

    def test_waits_for_a_place(self):
        fake = self.start()
        fake.full = 3
        client = self.client()
        busy = 0

        def connected():
            nonlocal busy
            try:
                client.process()
            except electd.Busy:
                busy += 1
                self.assertLessEqual(client._again_ms, boot_ms() + 50)
            return not fake.subscribers.empty()

        self.until(client, connected)
        self.assertEqual(busy, 1)
        fake.subscriber().send(snapshot())
        self.take(client, "snapshot")  # nothing was lost

    def test_pauses_grow_up_to_fifty_ms(self):
        places = electd._Places()
        self.assertEqual([places.pause_ms() for _ in range(8)], [1, 2, 4, 8, 16, 32, 50, 50])
        places.found()
        self.assertEqual(places.pause_ms(), 1)

    def test_the_socket_of_an_instance(self):
        self.assertEqual(electd._path(None, None), "/run/electd/io.electd")
        self.assertEqual(electd._path(None, "default"), "/run/electd/io.electd")
        self.assertEqual(electd._path(None, "site"), "/run/electd-site/io.electd")
        self.assertEqual(electd._path("/x", None), "/x")
        wrong = (("", None), ("/" + "x" * 107, None), (None, "a/b"), ("/x", "site"))
        for socket_path, instance in wrong:
            with self.assertRaises(ValueError):
                electd._path(socket_path, instance)

    def test_values_are_checked(self):
        for name in ("", "x" * 64, "a\n", "\xe9"):
            with self.assertRaises(ValueError):
                electd.Client(name, socket=self.path)

    def test_a_closed_client_is_refused(self):
        client = self.client()
        client.close()
        client.close()
        for use in (client.process, client.may_act, client.released):
            with self.assertRaises(ValueError):
                use()


class Loop(Case):
    def readable(self, client):
        return bool(select.select([client], [], [], 0)[0])

    def test_the_descriptor_says_that_something_waits(self):
        client, _, subscriber = self.leading()
        descriptor = client.fileno()
        self.assertFalse(self.readable(client))
        subscriber.send(event("members", 2))
        self.assertTrue(select.select([client], [], [], PATIENCE)[0])
        client.may_act()  # reads it, and the event waits
        self.assertTrue(self.readable(client))
        self.assertEqual(client.timeout(), 0)
        self.take(client, "members")
        self.assertIsNone(client.process())
        self.assertFalse(self.readable(client))
        subscriber.connection.close()
        self.take(client, "lost")
        self.assertEqual(client.fileno(), descriptor)

    def test_messages_that_came_together_wait_visibly(self):
        client, _, subscriber = self.leading()
        subscriber.send(event("members", 2), event("members", 3), event("members", 4))
        for i in range(3):
            self.assertTrue(select.select([client], [], [], PATIENCE)[0])
            self.take(client, "members")
            self.assertEqual(self.readable(client), i < 2)
            self.assertEqual(client.timeout() == 0, i < 2)

    def test_the_timeout_is_the_deadline(self):
        client, _, subscriber = self.leading()
        self.assertGreater(client.timeout(), 60)
        subscriber.send(event("alive", 1, status=False, until_boot_ms=boot_ms() + 1))
        self.take(client, "silent")
        self.assertEqual(client.may_act(), 0)
        self.assertIsNone(client.timeout())

    def test_a_watcher_has_no_deadline(self):
        fake = self.start()
        client = self.client(None)
        client.process()
        fake.subscriber().send(snapshot())
        self.take(client, "snapshot")
        self.assertIsNone(client.timeout())
        self.assertEqual(client.may_act(), 0)


class Release(Case):
    def test_without_work_the_release_is_answered_at_once(self):
        client, fake, subscriber = self.leading()
        subscriber.send(event("release", 1, release=3, purpose="yield"))
        self.assertEqual(self.take(client, "release").purpose, "yield")
        self.assertEqual(self.called(client, fake), ("Release", {"holder": "h1", "seq": 3}))

    def test_with_work_it_is_answered_after_the_work(self):
        client, fake, subscriber = self.leading()
        self.assertEqual(client.may_act(), 5)
        subscriber.send(event("release", 1, release=3, purpose="yield"))
        self.take(client, "release")
        self.assertEqual(client.may_act(), 0)
        self.assertTrue(fake.calls.empty())
        client.released()
        self.assertEqual(self.called(client, fake), ("Release", {"holder": "h1", "seq": 3}))

    def test_it_waits_for_a_descriptor(self):
        client, fake, subscriber = self.leading()
        self.assertEqual(client.may_act(), 5)
        subscriber.send(event("release", 1, release=3, purpose="yield"))
        self.take(client, "release")
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        with open(os.devnull) as free:
            resource.setrlimit(resource.RLIMIT_NOFILE, (free.fileno(), limits[1]))
        try:
            client.released()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
        self.assertEqual(self.called(client, fake), ("Release", {"holder": "h1", "seq": 3}))

    def test_it_does_not_wait_for_a_report(self):
        client, fake, subscriber = self.leading()
        fake.answers = [None] * CALLS
        client.report("db", well=True)
        self.assertEqual(self.called(client, fake)[0], "Report")
        self.between_calls(client, fake)
        subscriber.send(event("release", 1, release=3))
        self.take(client, "release")
        self.assertEqual(self.called(client, fake), ("Release", {"holder": "h1", "seq": 3}))

    def test_it_is_void_after_the_end_of_the_connection(self):
        client, fake, subscriber = self.leading()
        client.may_act()
        subscriber.send(event("release", 1, release=3))
        self.take(client, "release")
        subscriber.end()
        self.take(client, "lost")
        client.released()
        client.report("db", well=True)
        self.assertEqual(self.called(client, fake)[0], "Report")

    def test_it_is_void_then_also_if_it_was_called(self):
        client, fake, subscriber = self.leading()
        fake.answers = [FULL] * CALLS
        subscriber.send(event("release", 1, release=3))
        self.take(client, "release")
        self.called(client, fake)
        self.between_calls(client, fake)
        subscriber.end()
        self.take(client, "lost")
        self.assertEqual(list(client._calls), [])

    def test_a_full_electd_is_asked_again(self):
        client, fake, subscriber = self.leading()
        fake.answers = [FULL, FULL]
        subscriber.send(event("release", 1, release=3))
        self.take(client, "release")
        for _ in range(3):
            self.assertEqual(self.called(client, fake), ("Release", {"holder": "h1", "seq": 3}))

    def test_an_ended_connection_is_kept_while_the_program_acts(self):
        client, _, subscriber = self.leading()
        client.may_act()
        subscriber.end()
        self.take(client, "lost")
        self.assertTrue(subscriber.is_open())
        client.released()
        self.assertFalse(subscriber.is_open())

    def test_without_work_it_is_closed_at_once(self):
        client, _, subscriber = self.leading()
        subscriber.end()
        self.take(client, "lost")
        self.assertFalse(subscriber.is_open())

    def test_at_most_64_are_kept(self):
        client, fake, subscriber = self.leading()
        client.may_act()
        for s in socket.socketpair(), *(socket.socketpair() for _ in range(63)):
            client._kept.append(s[0])
            self.addCleanup(s[1].close)
            last = s[1]
        first = client._kept[0]
        subscriber.end()
        self.take(client, "lost")
        self.assertEqual(len(client._kept), 64)
        self.assertEqual(first.fileno(), -1)
        self.assertTrue(Subscriber(last, {}).is_open())

    def test_close_says_that_all_work_has_ended(self):
        client, fake, subscriber = self.leading()
        client.may_act()
        client.close()
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))
        self.assertFalse(subscriber.is_open())

    def test_a_child_does_not_keep_an_ended_connection(self):
        client, _, subscriber = self.leading()
        client.may_act()
        subscriber.end()
        self.take(client, "lost")
        child = os.fork()
        if not child:
            signal.pause()
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, signal.SIGKILL)
        client.released()
        self.assertFalse(subscriber.is_open())

    def test_close_in_a_child_changes_nothing(self):
        client, fake, subscriber = self.leading()
        child = os.fork()
        if not child:
            with contextlib.suppress(ValueError):
                client.may_act()
                os._exit(1)
            client.close()
            os._exit(0)
        self.assertEqual(os.waitpid(child, 0), (child, 0))
        self.assertTrue(fake.calls.empty())
        self.assertEqual(client.may_act(), 5)
        subscriber.send(event("members", 2))
        self.assertTrue(select.select([client], [], [], PATIENCE)[0])
        self.take(client, "members")

    def test_close_waits_for_the_first_answer(self):
        # electd may have read Subscribe, and would wait for that holder.
        fake = self.start()
        client = self.client()
        client.process()
        electd_answers = threading.Thread(target=lambda: fake.subscriber().send(snapshot()))
        electd_answers.start()
        client.close()
        electd_answers.join(PATIENCE)
        self.assertFalse(fake.calls.empty())
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))

    def test_close_of_a_silent_electd_does_so_without_waiting(self):
        client, fake, _ = self.leading(until_boot_ms=1)
        self.take(client, "silent")
        client.close()
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))

    def test_close_ends_without_an_answer(self):
        client, fake, _ = self.leading()
        fake.answers = [b"no answer"]
        client.close()
        self.assertEqual(fake.call()[0], "Release")

    def test_a_watcher_calls_nothing(self):
        fake = self.start()
        client = self.client(None)
        client.process()
        subscriber = fake.subscriber()
        subscriber.send(snapshot(), event("release", 1, release=3))
        self.take(client, "snapshot", "release")
        client.close()
        self.assertTrue(fake.calls.empty())


class Reports(Case):
    def serve(self, *answers):
        fake = self.start()
        fake.answers = list(answers)
        return fake

    def test_a_report_has_its_values(self):
        fake = self.serve()
        electd.report("db", well=False, words="lags", fall=3, stale_ms=500, socket=self.path)
        values = {"name": "db", "well": False, "words": "lags", "fall": 3, "rise": 1}
        values |= {"stale_ms": 500, "leading": False}
        self.assertEqual(fake.call(), ("Report", values))

    def test_it_waits_until_electd_runs(self):
        done = threading.Event()

        def work():
            electd.report("db", well=True, socket=self.path)
            done.set()

        worker = threading.Thread(target=work, daemon=True)
        worker.start()
        time.sleep(0.3)
        self.assertFalse(done.is_set())
        fake = self.serve()
        self.assertTrue(done.wait(PATIENCE))
        self.assertEqual(fake.call()[1]["name"], "db")
        worker.join(PATIENCE)

    def test_it_waits_for_a_place_and_for_an_answer(self):
        fake = self.serve(FULL, None, b"", SIMPLE)
        fake.full = 2
        electd.report("db", well=True, socket=self.path)
        self.assertEqual([fake.call()[0] for _ in range(4)], ["Report"] * 4)

    def test_a_refusal_is_raised(self):
        refused = {"error": "io.electd.ReportRefused", "parameters": {"message": "16 names"}}
        not_leader = {"error": "io.electd.NotLeader", "parameters": {}}
        cases = (
            (NOT_ALLOWED, electd.NotAllowed, "electd-report"),
            (NOT_ALLOWED, PermissionError, "root"),
            (not_leader, electd.NotLeader, "does not lead"),
            (refused, electd.Refused, "16 names"),
            ({"error": "io.x"}, electd.Refused, "io.x"),
            (b"nonsense\0", electd.Error, "Bad message"),
            (b"x" * 70000, electd.Error, "too long"),
        )
        self.serve(*(answer for answer, _, _ in cases))
        for _, kind, words in cases:
            with self.assertRaisesRegex(kind, words):
                electd.report("db", well=True, socket=self.path)

    def test_a_timeout_ends_it(self):
        with self.assertRaises(TimeoutError):
            electd.report("db", well=True, socket=self.path, timeout=0)

    def test_values_are_checked(self):
        for wrong in (
            {"name": "a b"},
            {"words": "x" * 201},
            {"fall": 0},
            {"rise": 1001},
            {"stale_ms": -1},
        ):
            with self.assertRaises(ValueError):
                electd.report(**{"name": "db", "well": True, **wrong}, socket=self.path)

    def test_a_client_queues_them_by_name(self):
        client = self.client()
        client.report("a", well=True)
        client.report("b", well=True)
        client.report("a", well=False, words="newer")
        with contextlib.suppress(electd.NotRunning):
            client.process()
        fake = self.serve()
        calls = [self.called(client, fake)[1] for _ in range(2)]
        self.assertEqual([(c["name"], c["well"]) for c in calls], [("a", False), ("b", True)])

    def test_a_full_queue_is_busy(self):
        client = self.client()
        for i in range(32):
            client.report(f"n{i}", well=True)
        client.report("n3", well=False)
        with self.assertRaises(electd.Busy):
            client.report("n32", well=True)

    def test_no_answer_is_no_refusal(self):
        client, fake, subscriber = self.leading()
        fake.answers = [b"nonsense\0"]
        client.report("db", well=True)
        self.assertEqual(self.called(client, fake)[0], "Report")
        events = []

        def over():
            events.append(client.process())
            return not client._calls

        self.until(client, over)
        subscriber.send(event("members", 2))
        self.take(client, "members")
        self.assertEqual([e for e in events if e], [])

    def test_a_refusal_is_an_event(self):
        client, fake, subscriber = self.leading()
        fake.answers = [NOT_ALLOWED, {"error": "io.x", "parameters": {"message": "no"}}]
        client.report("a", well=True)
        client.report("b", well=True)
        first = self.take(client, "refused")
        second = self.take(client, "refused")
        self.assertEqual((first.error, second.error), (errno.EACCES, errno.EINVAL))
        self.assertIn("electd-report", first.words)
        self.assertEqual(second.words, "no")
        self.assertEqual(client.may_act(), 5)


class Blocks(Case):
    """lead and watch, with a script that electd follows in a thread."""

    def script(self, fake, work):
        failed = []

        def run():
            try:
                work(fake.subscriber())
            except Exception as e:
                failed.append(e)

        thread = threading.Thread(target=run, daemon=True)
        thread.start()

        def joined():
            thread.join(PATIENCE)
            self.assertEqual(failed, [])

        self.addCleanup(joined)

    def test_lead_waits_and_follows_a_new_token(self):
        fake = self.start()
        steps = queue.Queue()

        def work(subscriber):
            subscriber.send(snapshot("follower", 4), event("leader", 2, token=5))
            self.assertEqual(steps.get(timeout=PATIENCE), 5)
            subscriber.send(event("leader", 3, token=6))
            while steps.get(timeout=PATIENCE) != 6:
                pass
            subscriber.send(event("release", 3, token=6, release=1, purpose="resign"))

        self.script(fake, work)
        tokens = []
        with electd.lead("report", socket=self.path) as lead:
            while lead:
                tokens.append(lead.token)
                steps.put(lead.token)
                lead.wait(0.05)
            self.assertTrue(fake.calls.empty())  # the block has not ended
        self.assertEqual(sorted(set(tokens)), [5, 6])
        self.assertEqual(tokens, sorted(tokens))
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))
        self.assertFalse(lead)

    def test_a_token_that_comes_between_is_taken(self):
        client, _, subscriber = self.leading()
        self.assertEqual(client.may_act(), 5)
        process = client.process

        def late():
            taken = process()
            if not taken and client.process is late:
                client.process = process
                subscriber.send(event("leader", 2, token=6))
            return taken

        client.process = late
        lead = electd.lead("report", socket=self.path)
        lead._client = client
        self.assertTrue(lead)
        self.assertEqual(lead.token, 6)

    def test_an_exception_ends_the_work_too(self):
        fake = self.start()
        self.script(fake, lambda subscriber: subscriber.send(snapshot()))
        with self.assertRaises(KeyError), electd.lead("report", socket=self.path):
            raise KeyError
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))

    def test_lead_is_false_after_the_end_and_the_deadline(self):
        for last in (lambda s: s.connection.close(), lambda s: s.send(late())):
            fake = self.start()
            asked = threading.Event()

            def late():
                return event("alive", 1, status=False, until_boot_ms=boot_ms() + 1)

            def work(subscriber, last=last, asked=asked):
                subscriber.send(snapshot())
                asked.wait(PATIENCE)
                last(subscriber)

            self.script(fake, work)
            with electd.lead("report", socket=self.path) as lead:
                self.assertTrue(lead)
                asked.set()
                self.assertFalse(lead.wait(PATIENCE))
            fake.stop()
        self.running = None

    def test_lead_waits_for_electd(self):
        path = self.path

        def later():
            time.sleep(0.3)
            fake = FakeElectd(path).start()
            fake.full = 2
            fake.subscriber().send(snapshot(token=9))
            return fake

        fakes = []
        thread = threading.Thread(target=lambda: fakes.append(later()), daemon=True)
        thread.start()
        with electd.lead("report", socket=path) as lead:
            self.assertEqual(lead.token, 9)
        thread.join(PATIENCE)
        fakes[0].stop()

    def test_lead_needs_a_right(self):
        fake = self.start()
        self.script(fake, lambda subscriber: subscriber.send(NOT_ALLOWED))
        with self.assertRaisesRegex(electd.NotAllowed, "root or the group electd-admin"):
            with electd.lead("report", socket=self.path):
                self.fail("leads")

    def test_lead_refuses_another_time_namespace(self):
        fake = self.start()
        self.script(fake, lambda subscriber: subscriber.send(snapshot(time_namespace=1)))
        with self.assertRaises(electd.OtherTimeNamespace):
            with electd.lead("report", socket=self.path):
                self.fail("leads")
        self.assertEqual(fake.call(), ("Release", {"holder": "h1", "seq": 0}))

    def test_watch_goes_on_after_the_end(self):
        fake = self.start()

        def work(subscriber):
            subscriber.send(snapshot("follower", 4))
            subscriber.connection.close()
            fake.subscriber().send(snapshot("leader", 5))

        self.script(fake, work)
        events = electd.watch(socket=self.path)
        got = [(e.type, e.role, e.token) for e in (next(events) for _ in range(3))]
        events.close()
        self.assertEqual(
            got, [("snapshot", "follower", 4), ("lost", "none", 0), ("snapshot", "leader", 5)]
        )


class Hostile(Case):
    """Nothing that a server sends raises anything but the documented errors."""

    def lost(self, data, *errors):
        client, fake, subscriber = self.leading()
        client.may_act()
        sender = threading.Thread(target=subscriber.raw, args=(data,), daemon=True)
        sender.start()
        lost = None
        while not lost:
            got = self.until(client, client.process)
            lost = got if got.type == "lost" else None
        self.assertIn(lost.error, errors, data[:80])
        self.assertEqual(client.may_act(), 0)
        client.close()
        sender.join(PATIENCE)
        fake.stop()
        self.running = None

    def test_messages_that_are_not_electds(self):
        good = packed(event("members", 2)).decode()
        boot = json.loads(good[:-1])["parameters"]["boot_ms"]
        texts = (
            "",
            "{",
            "[" * 100000,
            '{"a":' * 100000,
            '{"continues":true,"parameters":' + "[" * 1500 + "]" * 1500 + "}",
            "1" * 100000,
            "NaN",
            '"\\ud800"',
            good[:-1].replace('"alpha"', '"\\u0000"'),
            good[:-1].replace(str(boot), "NaN"),
            good[:-1].replace(str(boot), "1e999"),
            good[:-1].replace(str(boot), "9" * 5000),
            good[:-1].replace(str(boot), str(1 << 63)),
            good[:-1].replace(str(boot), "-1"),
            good[:-1].replace('"token": "5"', '"token": "18446744073709551616"'),
            good[:-1].replace('"token": "5"', '"token": "\u0665"'),
            good[:-1].replace('"seq": 2', '"seq": 2, "seq": 2'),
            "\ufeff" + good[:-1],
        )
        for text in texts:
            self.lost(text.encode() + b"\0", errno.EBADMSG)

    def test_bytes_that_are_no_text(self):
        for data in (b"\xff\xfe\0", b'{"a":"\xc0\x80"}\0', b'{"a":"\xed\xa0\x80"}\0'):
            self.lost(data, errno.EBADMSG)

    def test_random_bytes(self):
        draw = random.Random(1)
        for _ in range(30):
            self.lost(draw.randbytes(draw.randrange(1, 2000)) + b"\0", errno.EBADMSG)

    def test_endless_bytes(self):
        self.lost(b"x" * (5 << 20), errno.EMSGSIZE)
        self.lost(b" " * (1 << 20), errno.EMSGSIZE)

    def test_a_long_message_is_refused_and_a_shorter_one_is_not(self):
        text = packed(event("members", 2))[:-1]
        client, _, subscriber = self.leading()
        data = text + b" " * ((1 << 20) - 1 - len(text)) + b"\0"
        sender = threading.Thread(target=subscriber.raw, args=(data,), daemon=True)
        sender.start()
        self.take(client, "members")
        sender.join(PATIENCE)
        client.close()
        self.running.stop()
        self.running = None
        self.lost(text + b" " * ((1 << 20) - len(text)) + b"\0", errno.EMSGSIZE)

    def test_too_much_in_one_go(self):
        most = electd.TURN_MAX
        electd.TURN_MAX = 20000
        try:
            alive = packed(event("alive", 1, status=False))
            self.lost(alive * (40000 // len(alive)), errno.EMSGSIZE)
        finally:
            electd.TURN_MAX = most

    def test_a_gap(self):
        self.lost(packed(event("members", 3)), errno.EPROTO)

    def test_a_snapshot_without_a_holder(self):
        fake = self.start()
        client = self.client()
        client.process()
        reply = snapshot()
        del reply["parameters"]["holder"]
        fake.subscriber().send(reply)
        with self.assertRaises(electd.Error) as raised:
            self.take(client, "snapshot")
        self.assertEqual(raised.exception.errno, errno.EPROTO)


if __name__ == "__main__":
    unittest.main()
