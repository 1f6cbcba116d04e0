# SPDX-License-Identifier: Apache-2.0
"""What electd-hookd does when the world is rough: scripts that ran on leader and vanish, are
refused or busy when their demotion is due; children in groups of their own; definitions and
reasons that are not what they should be. An electd that says what a test wants. For hooks.py.
"""
import json
import os
import queue
import threading
import time

import hooked
import lan
from hooked import DEMOTIONS, FIRST, SECOND, check
from hooks_fake import STATUS, Fake, message

TIMEOUT = 1.0          # of message()


class Electd(Fake):
    """Answers each Release, and passes Subscribe on."""

    def __init__(self, folder):
        super().__init__(folder)
        self.socket.settimeout(None)
        self.streams, self.released, self.seq = queue.Queue(), queue.Queue(), 1
        self.stream = None
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            stream, _ = self.socket.accept()
            asked = b""
            while not asked.endswith(b"\0"):
                asked += stream.recv(65536) or b"\0"
            asked = json.loads(asked[:-1] or b"{}")
            if asked.get("method") == "io.electd.Subscribe":
                self.streams.put(stream)
                continue
            if asked.get("method") == "io.electd.Release":
                self.released.put(asked["parameters"]["seq"])
            try:
                stream.sendall(b'{"parameters":{}}\0')
            except OSError:
                pass
            stream.close()

    def snapshot(self, **status):
        self.stream = self.streams.get(timeout=lan.PATIENCE)
        self.seq = 1
        self.stream.sendall(message(status=status))

    def event(self, event, more=None, **status):
        """Its bytes; a release is no change."""
        self.seq += event != "release"
        return message({"event": event, "seq": self.seq, **(more or {})}, status=status)

    def say(self, event, more=None, **status):
        self.stream.sendall(self.event(event, more, **status))

    def release(self, purpose="yield", number=5):
        self.stream.sendall(self.event("release", {"release": number, "purpose": purpose}))

    def wait_released(self):
        try:
            return self.released.get(timeout=lan.PATIENCE)
        except queue.Empty:
            check(False, "leadership was not let go of")


class Rough:
    """hookd beside it, which leads with token 7."""
    count = 0

    def __init__(self, hooks=(FIRST, SECOND), leads=True, wrapper=(), **status):
        Rough.count += 1
        self.runtime = "/run/rough-%d" % Rough.count
        self.net = lan.Lan(1)
        self.hooks = hooked.Hooked(self.net.hosts[0], hooks)
        self.electd = Electd(self.runtime)
        self.leads, self.wrapper, self.status = leads, wrapper, status

    def __enter__(self):
        self.net.__enter__()
        self.hooks.start(runtime_dir=self.runtime, wrapper=self.wrapper)
        self.electd.snapshot(**self.status)
        if self.leads:
            self.hooks.wait_log("leader done")
        return self

    def __exit__(self, kind, value, trace):
        if self.hooks.process:
            self.hooks.process.kill()
            self.hooks.process.wait()
        if kind:
            print("".join("    %s\n" % line for line in self.hooks.log().splitlines()[-20:]))
        self.hooks.forget()
        self.net.__exit__(kind, value, trace)

    def path(self, name):
        return os.path.join(self.hooks.dir, name)

    def demoted(self, name):
        """Its demotion's run, if it had one when all were over."""
        return next((r for r in self.hooks.runs() if r.name == name and r.event in DEMOTIONS), None)


def purposes():
    """Why an event came, when other news follow the release before the demotion begins."""
    with Rough() as r:
        electd = r.electd
        electd.stream.sendall(
            electd.event("release", {"release": 5, "purpose": "yield"}) +
            electd.event("state", reason="other-news"))
        electd.wait_released()
        for name in (FIRST, SECOND):
            reason = r.demoted(name).env["ELECTD_REASON"]
            check(reason == "yield", "the reason is %s", reason)
        electd.stream.sendall(electd.event(
            "follower", role="follower", token="8", reason="coordinator-better",
            leader={"id": "0" * 31 + "2", "name": "b", "address": None, "self": False}))
        run = r.hooks.wait_event("follower")
        check(run.env["ELECTD_REASON"] == "coordinator-better", "then: %s", run.env)


def vanished():
    """What ran on leader is demoted by its own file, if there is no other that may run."""
    with Rough(hooks=(FIRST, SECOND, "05-same", "30-masked", "40-shut")) as r:
        os.rename(r.path(FIRST), r.path(FIRST + ".dpkg-new"))
        r.hooks.install("loose")
        os.chmod(r.path("loose"), 0o777)
        os.rename(r.path("loose"), r.path(SECOND))
        os.unlink(r.path("30-masked"))
        os.symlink("/dev/null", r.path("30-masked"))
        os.chmod(r.path("40-shut"), 0o644)
        for number in range(80):
            os.symlink("/dev/null", r.path("60-%d" % number))
        r.electd.release()
        r.electd.wait_released()
        for name in ("05-same", FIRST, SECOND):
            check(r.demoted(name) and r.demoted(name).end, "%s was not demoted", name)
        for name in ("30-masked", "40-shut"):
            check(not r.demoted(name), "%s was run", name)
        log = r.hooks.log()
        check(log.count("cannot run any more: the file that ran on leader does") == 2 and
              "hooks.d" not in log, "told: %s", log)


def lost_lists():
    """More names than can be run, then a folder that cannot be read: demoted all the same."""
    with Rough() as r:
        for number in range(70):
            r.hooks.install("50-%d" % number, "#!/bin/sh\n")
        r.electd.release()
        r.electd.wait_released()
        for name in (FIRST, SECOND):
            check(r.demoted(name) and r.demoted(name).end, "%s was not demoted", name)
        check("hooks.d: none could not be started" in r.hooks.log(), "not told")
    with Rough() as r:
        os.rename(r.hooks.dir, r.hooks.dir + ".away")
        with open(r.hooks.dir, "w"):
            pass
        r.electd.release()
        r.electd.wait_released()
        for name in (FIRST, SECOND):
            check(r.demoted(name) and r.demoted(name).end, "%s was not demoted", name)
        os.unlink(r.hooks.dir)
        os.rename(r.hooks.dir + ".away", r.hooks.dir)


def confirmed():
    """A script of the first `leader` that was gone at its confirmation is demoted too."""
    with Rough() as r:
        os.unlink(r.path(FIRST))
        at = lan.now()
        r.electd.stream.sendall(r.electd.event("leader", token="9"))
        r.hooks.wait_event("leader", at)
        r.electd.release()
        r.electd.wait_released()
        check(r.demoted(FIRST), "not demoted: %s", r.hooks.runs())
        # What is over is over: nothing is kept for the next one.
        r.electd.stream.sendall(r.electd.event("none", role="none", token="0", leader=None) +
                                r.electd.event("leader", token="11"))
        at = r.hooks.wait_event("leader", lan.now() - 5, ended=True).begin
        r.hooks.wait("leader with 11", lambda run: run.token == 11 and run.end)
        at = lan.now()
        r.electd.release(number=6)
        r.electd.wait_released()
        names = {run.name for run in r.hooks.runs() if run.begin > at}
        check(names == {SECOND}, "demoted at last: %s", names)


def busy():
    """A script somebody writes to is started as soon as it can be; not for ever."""
    with Rough() as r:
        with open(r.path(FIRST), "r+b"):
            at = lan.now()
            r.electd.release()
            time.sleep(0.3)
            check(not r.demoted(SECOND), "it was passed over: %s", r.hooks.runs())
        opened = lan.now()
        r.electd.wait_released()
        run = r.demoted(FIRST)
        check(run and run.begin > at and run.begin - opened < 0.2, "it was not demoted: %s", run)
        check("could not be started" not in r.hooks.log(), "told: %s", r.hooks.log())
    with Rough() as r:
        with open(r.path(FIRST), "r+b"):
            at = lan.now()
            r.electd.release()
            r.electd.wait_released()
        run = r.demoted(SECOND)
        check(run and run.begin - at > TIMEOUT - 0.1 and not r.demoted(FIRST),
              "the others: %s", r.hooks.runs())
        check("could not be started: Text file busy" in r.hooks.log(), "not told")
        return "given up after %.2f s" % (run.begin - at)


JOB = """#!/bin/bash
set -m
[ "$1" != leader ] || sh -c 'sleep 1; echo late >%s.late'
"""


def job_control():
    """A leader script that is cut does nothing more by a child in a group of its own."""
    with Rough(hooks=(), leads=False) as r:
        r.hooks.install(FIRST, JOB % r.hooks.dir)
        r.hooks.install(SECOND)
        r.electd.stream.sendall(r.electd.event("leader", token="9"))
        r.hooks.wait_log("leader begins")
        time.sleep(0.3)
        r.electd.release()
        r.electd.wait_released()
        time.sleep(1)
        check(not os.path.exists(r.hooks.dir + ".late"), "it went on")


def definitions():
    """Scripts get a copy, and only of electd's file."""
    with Rough() as r:
        own = "/run/own-%s/definition" % r.hooks.host.name
        daemon = os.path.join(r.runtime, "daemon")
        os.mkdir(daemon)
        count = 0

        def told(path):
            """What scripts are given when electd says that path."""
            nonlocal count
            count += 1
            at = lan.now()
            r.electd.stream.sendall(r.electd.event("members", definition=path, reason="m"))
            return r.hooks.wait_event("members", at).env["ELECTD_DEFINITION"]

        for folder in (daemon, r.runtime):
            path = os.path.join(folder, "definition")
            with open(path, "w") as f:
                f.write("of " + folder)
            os.chmod(path, 0o644)
            check(told(path) == own, "not its copy")
            with open(own) as f:
                check(f.read() == "of " + folder, "another content")
        for path in ("/etc/shadow", r.runtime + "/..", "/x; reboot #$(id)`id`\"'", "/x -rf /", "/",
                     None):
            check(told(path) == "", "given for %s", path)
            check(not os.path.exists(own), "the copy is left")
        os.unlink(daemon + "/definition")
        os.symlink("/etc/passwd", daemon + "/definition")
        check(told(daemon + "/definition") == "", "a link was followed")
        check(r.hooks.log().count("no definition") <= 3, "told: %s", r.hooks.log())


def rough(result):
    """All of it."""
    for name, test in (("purposes", purposes), ("vanished scripts", vanished),
                       ("lists that cannot be read", lost_lists), ("confirmed", confirmed),
                       ("busy scripts", busy), ("job control", job_control),
                       ("definitions", definitions)):
        result.attempt(name, test)
