# SPDX-License-Identifier: Apache-2.0
"""An electd that is none: what it says must make electd-hookd run nothing, and never end it.

For hooks.py, which runs no_electd().
"""
import json
import os
import socket

import hooked
import lan
from hooked import check

STATUS = {
    "domain": "default", "role": "leader", "token": "7", "reason": "alone", "definition": None,
    "node": {"id": "0" * 31 + "1", "name": "fake"}, "group": {"id": "fake.7"},
    "leader": {"id": "0" * 31 + "1", "name": "fake", "address": None, "self": True},
    "members": [{"id": "0" * 31 + "1", "name": "fake", "address": "192.0.2.1", "rank": 0,
                 "priority": 100, "state": "alive"}]}


def message(change=None, status=None, **more):
    event = {"seq": 1, "event": "snapshot", "boot_ms": int(lan.now() * 1000), "reason": "alone",
             "holder": "1" * 16, "dead_after_ms": 60000, "token": "7",
             "hooks": {"timeout_ms": 1000, "on_failure": "ignore"},
             "status": {**STATUS, **(status or {})}}
    event.update(change or {})
    event = {key: value for key, value in event.items() if value is not KeyError}
    return json.dumps({"parameters": event, "continues": True, **more}).encode() + b"\0"


def hostile():
    """What nobody should say; none of it may make a script run."""
    member = STATUS["members"][0]
    yield b"\0"
    yield b"{}\0"
    yield b"[]\0"
    yield b"null\0"
    yield b"{\0"
    yield b"\xff\xfe{}\0"
    yield b"[" * 100000 + b"\0"
    yield b'{"parameters":' * 5000 + b"\0"
    yield b"x" * (2 << 20)
    yield b'{"parameters":{"event":"snapshot","event":"snapshot"},"continues":true}\0'
    yield b'{"error":"io.electd.NotAllowed","parameters":{}}\0'
    yield b'{"error":"%s"}\0' % (b"A" * 70000)
    yield message({"event": "alive"})
    yield message({"event": "dance"})
    yield message({"event": 5})
    yield message({"seq": -1})
    yield message({"seq": 1.5})
    yield message({"seq": 10 ** 30})
    yield message({"boot_ms": -5})
    yield message({"boot_ms": "5"})
    yield message({"dead_after_ms": 0})
    yield message({"dead_after_ms": 10 ** 12})
    yield message({"hooks": 5})
    yield message({"hooks": {"timeout_ms": -1, "on_failure": "ignore"}})
    yield message({"hooks": {"timeout_ms": 100, "on_failure": "; reboot"}})
    yield message({"holder": "../../x"})
    yield message({"status": None})
    yield message({"status": KeyError})
    for key, value in (
            ("domain", "$(reboot)"), ("domain", ""), ("domain", "x" * 64), ("domain", 5),
            ("domain", "a\nb"), ("role", "king"), ("role", None), ("token", "-1"),
            ("token", "0"), ("token", ""), ("token", 7), ("token", "99999999999999999999"),
            ("token", "7 "), ("reason", "Bad Reason"), ("reason", "a;b"), ("reason", ""),
            ("definition", "relative"), ("definition", "/a\nb"), ("definition", "/run/../etc"),
            ("definition", 5), ("definition", "/" + "x" * 5000), ("group", {"id": "a b"}),
            ("group", {"id": "x" * 200}), ("group", 5), ("leader", None), ("leader", {}),
            ("leader", {**STATUS["leader"], "address": "1.2.3.4; reboot"}),
            ("leader", {**STATUS["leader"], "name": "`x`"}),
            ("leader", {**STATUS["leader"], "id": "G" * 32}),
            ("leader", {**STATUS["leader"], "self": "yes"}), ("node", None),
            ("node", {"id": "1", "name": "a=b"}), ("members", None), ("members", {}),
            ("members", [5]), ("members", [{**member, "name": "x\0y"}]),
            ("members", [{**member, "rank": -1}]), ("members", [{**member, "priority": 256}]),
            ("members", [{**member, "state": "dead"}]), ("members", [member] * 1025)):
        yield message(status={key: value})
    for key in STATUS:
        if key != "definition":
            yield message({"status": {k: v for k, v in STATUS.items() if k != key}})


class Fake:
    """Answers a Subscribe with whatever it is told."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX)
        os.makedirs(folder)
        self.socket.bind(folder + "/io.electd")
        self.socket.listen(16)
        self.socket.settimeout(lan.PATIENCE)

    def subscriber(self):
        """The next connection that subscribes; others are closed."""
        while True:
            stream, _ = self.socket.accept()
            stream.settimeout(lan.PATIENCE)
            asked = b""
            while not asked.endswith(b"\0"):
                asked += stream.recv(65536)
            asked = json.loads(asked[:-1])
            if asked["method"] == "io.electd.Subscribe":
                check(asked["parameters"] == {"hold": True, "name": "electd-hookd"} and
                      asked["more"], "asked: %s", asked)
                return stream
            stream.close()


def say(stream, text):
    """All of it, or as much as is taken before the other end hangs up."""
    try:
        stream.sendall(text)
        while stream.recv(65536):
            pass
    except (ConnectionError, BrokenPipeError):
        pass
    stream.close()


def no_electd():
    """Hostile words: the connection ends, another follows, nothing runs; then good ones do."""
    with lan.Lan(1) as net:
        one = hooked.Hooked(net.hosts[0])
        fake = Fake("/run/fake")
        one.start(runtime_dir="/run/fake")
        count = 0
        for text in hostile():
            say(fake.subscriber(), text)
            check(one.process.poll() is None, "hookd died of %r", text[:200])
            check(not one.runs(), "a script ran after %r: %s", text[:300], one.runs())
            count += 1
        stream = fake.subscriber()
        stream.sendall(message())
        run = one.wait_event("leader")
        check(run.token == 7 and run.env["ELECTD_LEADER_NAME"] == "fake", "%s", run.env)
        # Out of turn: a change is left out.
        stream.sendall(message({"seq": 3, "event": "members"}))
        one.wait("a demotion", lambda r: r.event == "none")
        told = one.log().count("link:")
        check(told <= 4, "%d lines about one and the same: %s", told, one.log()[-2000:])
        check(one.end() == 0, "its end: %s", one.log()[-500:])
        one.forget()
        return "%d of them" % count
