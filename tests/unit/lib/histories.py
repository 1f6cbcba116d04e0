#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""histories: plays random histories through the rules of electd.py, and judges what they do.

    histories.py [--seed S] [--count N] [--play COMMAND]... [--print]

Makes N histories from the seed S: what electd sends (daemon/control/watch.c), with ends, gaps, late
reading, stalls past the deadline, other time namespaces, invalid messages and later event types. A
judge that shares no code with the rules reads the lines of play.py:

    an act is never after its deadline, nor while a release is asked for, nor under a token for
    which one was asked, nor under an older token than the newest, nor under one whose event the
    program has not taken, nor in another time namespace, nor without a connection on which a
    snapshot was heard; and none begins while this host asks its members or hands over, or while
    holders of rank address come first
    a release is answered once for each snapshot that carries it, not while the program acts, and
    not left without an answer while it does not act
    an invalid message ends the connection

With --play, COMMAND reads the same histories from its stdin; its lines are judged, too, and must be
the same.
Exits with 1 if anything is wrong.
"""
import argparse
import json
import os
import random
import shlex
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import play  # noqa: E402

OURS, THEIRS = 11, 12  # time namespaces
OWN_HOST = {"id": "a1", "name": "alpha"}
OTHER_HOST = {"id": "b2", "name": "beta"}
PURPOSES = ("yield", "resign", "stop", "bar")
FULL = "io.electd.TooManyClients"
INVALID = "# invalid"
UNLIKE_JSON = ("{", "nonsense", "[]", "null", "7", '""', '{"continues":true}', "[" * 3000)


# ---- making --------------------------------------------------------------------------------------


class History:
    """An electd, its socket and a program, at random."""

    def __init__(self, r):
        self.r = r
        self.lines = []
        self.now = r.randrange(1000, 100000)
        self.holds = r.random() < 0.93
        self.dead_after = r.choice((None, 20, 100, 600, 600, 3000))
        self.older = r.random() < 0.1  # sends neither deadlines nor its time namespace
        own = r.choice((OURS,) * 8 + (0, THEIRS))
        self.namespace = r.choice((OURS,) * 8 + (0, THEIRS)) if own != THEIRS else OURS
        self.skew = r.choice((0,) * 9 + (-5000, 5000)) if 0 in (own, self.namespace) else 0
        self.token, self.role, self.seq, self.until = 0, "none", r.randrange(5), 0
        self.release, self.releasing, self.purpose = r.randrange(3), False, "yield"
        self.asking = self.promoting = self.yielding = self.connected = False
        self.holders = 0
        self.lines.append(f"new {'holder' if self.holds else 'watcher'} {own}")

    def at(self, words):
        self.lines.append(f"{self.now} {words}")

    def boot(self):
        return max(0, self.now + self.skew)

    def status(self):
        leader = {
            "leader": {**OWN_HOST, "address": "192.0.2.1", "self": True},
            "follower": {**OTHER_HOST, "address": None, "self": False},
            "none": None,
        }[self.role]
        members = [{**OWN_HOST, "address": None, "rank": 0, "priority": 9, "state": "alive"}]
        return {
            "domain": "d",
            "role": self.role,
            "node": OWN_HOST,
            "leader": leader,
            "group": None if self.role == "none" else {"id": f"alpha.{self.token}"},
            "token": str(self.token),
            "members": members[: self.r.randrange(2)],
            "reason": "crash",
            "asking": self.asking,
            "promoting": {"rank": "address"} if self.promoting else None,
            "yielding": {"to": None} if self.yielding else None,
        }

    def event(self, name, status=True, **more):
        event = {"seq": self.seq, "event": name, "boot_ms": self.boot()}
        if self.dead_after and (self.holds or self.r.random() < 0.5):
            event["dead_after_ms"] = self.dead_after
        if self.holds and not self.older:
            leads = self.role == "leader"
            event["until_boot_ms"] = max(1, self.until + self.skew) if leads else None
            event["ending_ms"] = 50 if leads else None
            event["time_namespace"] = self.namespace
            event["hooks"] = {"timeout_ms": 30000, "on_failure": "ignore"}
        event.update(more)
        if status:
            event["status"] = self.status()
        return {"parameters": event, "continues": True}

    def send(self, reply):
        if self.connected:
            self.at("message " + json.dumps(reply, separators=(",", ":")))

    def change(self, name):
        self.seq += 1
        self.send(self.event(name))

    # ---- what electd does

    def renew(self):
        self.until = self.now + self.r.choice((1, 20, 300, 600, 600, 600))

    def alive(self):
        if self.role == "leader" and self.r.random() < 0.9:
            self.renew()
        self.send(self.event("alive", status=False))

    def leads(self):
        self.token += self.r.randrange(1, 3)
        self.role = "leader"
        self.asking = self.r.random() < 0.2
        self.promoting = self.r.random() < 0.3
        self.end_release()
        self.renew()
        self.change("leader")

    def loses(self):
        self.role = self.r.choice(("follower", "follower", "none"))
        self.token += self.role == "follower"
        self.asking = self.promoting = self.yielding = False
        self.change(self.role)
        self.end_release()

    def end_release(self):
        over = self.releasing and self.r.random() < 0.7
        self.releasing = self.yielding = False
        if over:
            self.release_over()

    def other_change(self):
        if self.role == "leader" and self.r.random() < 0.5:
            self.asking = not self.asking and self.r.random() < 0.5
            self.promoting = self.promoting and self.r.random() < 0.5
        self.change(self.r.choice(("members", "state", "state", "newer-type")))

    def ask(self):
        if not self.holds:
            return
        if not self.releasing or self.r.random() < 0.2:
            self.release += 1
        self.releasing = True
        self.yielding = self.role == "leader"
        self.purpose = self.r.choice(PURPOSES)
        if self.r.random() < 0.5:
            self.change("state")
        self.send(self.event("release", release=self.release, purpose=self.purpose))

    def release_over(self):
        number = self.release if self.r.random() < 0.8 else max(0, self.release - 1)
        self.send(self.event("release-over", status=False, release=number))
        if number == self.release:
            self.releasing = self.yielding = False

    def sign(self):
        self.send(self.event("newer-sign", status=False))

    def snapshot(self):
        more = {"release": self.release, "purpose": self.purpose} if self.releasing else {}
        if self.holds:
            more["holder"] = f"h{self.holders}"
        self.send(self.event("snapshot", **more))

    def missed(self):
        """More was unread than electd keeps: a new snapshot."""
        self.seq += self.r.randrange(4)
        if self.r.random() < 0.3:
            self.releasing = self.yielding = False
        self.snapshot()

    # ---- faults

    def look(self):
        self.at(self.r.choice(("process", "may_act")))

    def connect(self):
        if self.connected:
            self.end()
        self.holders += 1
        if self.r.random() < 0.5:
            self.seq = self.r.randrange(100)
        self.at("connect")
        self.connected = True
        if self.r.random() < 0.05:
            name = self.r.choice((FULL, "io.electd.NotAllowed", "io.x"))
            if name != FULL:
                self.lines.append(INVALID)
            self.send({"error": name, "parameters": {}})
            return
        self.pass_time(self.r.choice((0, 0, 0, 5)))
        if self.r.random() < 0.1 and self.role == "leader":
            self.token += 1
        self.snapshot()

    def end(self):
        if not self.connected:
            return
        self.at("end")
        self.connected = False
        self.pass_time(self.r.choice((0, 5)))
        self.look()

    def gap(self):
        self.lines.append(INVALID)
        event = self.event(self.r.choice(("members", "state", "leader", "alive")))
        if event["parameters"]["event"] == "leader" and self.role != "leader":
            event["parameters"]["event"] = "state"
        number = self.r.choice((-1, 2, 3)) if event["parameters"]["event"] != "alive" else 1
        event["parameters"]["seq"] = self.seq + number
        self.send(event)

    def hostile(self):
        """What electd never sends."""
        self.lines.append(INVALID)
        reply = self.event("state")
        parameters = reply["parameters"]
        parameters["seq"] += 1
        broken = self.r.randrange(8)
        if broken == 0:
            if self.connected:
                text = self.r.choice(UNLIKE_JSON)
                self.at("message " + text)
            return
        if broken == 1:
            parameters["status"]["token"] = self.r.choice(("", "x", "-1", str(1 << 64), 5, None))
        elif broken == 2:
            key = self.r.choice(("seq", "boot_ms"))
            parameters[key] = self.r.choice((-1, None, "1", 1.5, True))
        elif broken == 3:
            del parameters["status"][self.r.choice(("domain", "role", "node", "group", "members"))]
        elif broken == 4:
            reply["continues"] = self.r.choice((False, None, 1))
        elif broken == 5:
            parameters["until_boot_ms"] = self.r.choice((-1, "9", 1 << 62, 2.5, float("nan")))
        elif broken == 6:
            wrong = self.r.choice(("yielding", "promoting"))
            parameters["status"][wrong] = self.r.choice((True, 1, "x", []))
        else:
            parameters["status"] = self.r.choice(([], None, 1, {}))
        self.send(reply)

    # ---- what the program does

    def pass_time(self, ms):
        self.now += ms

    def act(self):
        for _ in range(self.r.randrange(1, 4)):
            self.at("process")
            self.at("may_act")
            self.pass_time(self.r.choice((0, 1, 5)))

    def stall(self):
        """Around a deadline: at it, before and after."""
        at = self.until + self.r.choice((-1, -1, 0, 1, 700))
        self.pass_time(max(0, at - self.now))
        self.at("may_act")
        self.look()

    def make(self):
        steps = (
            (self.alive, 20),
            (self.act, 24),
            (self.look, 8),
            (self.leads, 5),
            (self.loses, 3),
            (self.other_change, 6),
            (self.ask, 5),
            (self.release_over, 2),
            (self.sign, 2),
            (self.missed, 2),
            (self.connect, 2),
            (self.end, 1),
            (self.gap, 0.4),
            (self.hostile, 0.8),
            (self.stall, 5),
            (lambda: self.at("released"), 8),
            (lambda: [self.other_change() for _ in range(self.r.randrange(20))], 0.5),
        )
        verbs, weights = zip(*steps, strict=True)
        if self.r.random() < 0.5:
            self.leads()
        self.connect()
        for _ in range(self.r.randrange(10, 60)):
            self.pass_time(self.r.choice((0, 0, 1, 1, 10, 100)))
            if not self.connected and self.r.random() < 0.3:
                self.connect()
            self.r.choices(verbs, weights)[0]()
        return self.lines


def make(seed, count):
    """Returns the lines of all histories. The same on every machine."""
    lines = []
    for i in range(count):
        lines.append(f"# history {i} of seed {seed}")
        lines += History(random.Random(f"{seed} {i}")).make()
    return lines


# ---- judging -------------------------------------------------------------------------------------


class Judge:
    """What is allowed, from the messages alone."""

    def __init__(self):
        self.wrong = []
        self.counts = {"acts": 0, "releases": 0, "hung up": 0}
        self.here = "no history"
        self.number = 0
        self.new("watcher", "0")

    def fail(self, words):
        self.wrong.append(f"line {self.number}, {self.here}: {words}")

    def new(self, kind, namespace):
        self.holds, self.own = kind == "holder", int(namespace)
        self.dead_after = 600
        self.newest = 0
        self.acting = False
        self.answers = {}  # how often a release may be answered, by its number
        self.barred = 0  # a release was asked for under this token
        self.taken = 0  # the token of the last event that the program has taken
        self.down()

    def down(self):
        self.up = self.heard = self.must_end = False
        self.wire = []
        self.role, self.token, self.unsure = "none", 0, False
        self.asked = 0

    def take(self, text):
        reply = json.loads(text)
        event = reply.get("parameters", {})
        name = event.get("event")
        if name == "snapshot":
            self.heard = True
            self.holder = event.get("holder")
            self.same_clock = self.since <= event["boot_ms"] <= self.now
            self.asked = 0
        self.until = event.get("until_boot_ms")
        self.dead_after = event.get("dead_after_ms", self.dead_after)
        self.heard_at = min(event["boot_ms"], self.now) if self.same_clock else self.now
        theirs = event.get("time_namespace", 0)
        self.foreign = theirs != self.own if theirs and self.own else not self.same_clock
        if "status" in event:
            self.role = event["status"]["role"]
            self.token = int(event["status"]["token"])
            self.newest = max(self.newest, self.token)
            self.unsure = any(map(event["status"].get, ("asking", "yielding", "promoting")))
            if self.role != "leader" or self.token != self.barred:
                self.barred = 0
        number = event.get("release", 0)
        if name == "release-over":
            self.asked *= number != self.asked
        elif number and self.holds:
            self.barred = self.token
            if name == "snapshot" or number not in self.answers:
                self.asked = number
                self.answers[number] = self.answers.get(number, 0) + 1

    def read(self, outputs):
        """Takes what waits, up to an invalid message."""
        hung_up = any(o.startswith("> hang up") for o in outputs)
        if self.up and self.must_end and not hung_up:
            self.fail("an invalid message was accepted")
        if hung_up and not self.must_end:
            self.fail("the connection was given up without a reason")
        self.counts["hung up"] += hung_up
        for text in self.wire:
            if text is None:
                self.must_end = True  # by electd
            else:
                self.take(text)
        self.wire = []
        if self.must_end:
            self.down()

    def deadline(self):
        if self.until is not None:
            return self.until
        return self.heard_at + self.dead_after + 1

    def act(self, token):
        self.counts["acts"] += 1
        why = (
            (not self.holds, "a watcher acts"),
            (not self.up or not self.heard, "acts without a connection that was heard"),
            (self.role != "leader", "acts while this host does not lead"),
            (token < self.newest, "acts under an older token"),
            (token != self.token, "acts under a token that was not sent"),
            (token != self.taken, "acts under a token that the program does not know"),
            (not self.acting and self.unsure, "begins to act while this host asks or hands over"),
            (self.heard and self.now >= self.deadline(), "acts after the deadline"),
            (self.heard and self.foreign, "acts in another time namespace"),
            (self.asked, "acts while a release is asked for"),
            (self.barred == token, "acts under a token for which a release was asked"),
        )
        for wrong, words in why:
            if wrong:
                self.fail(words)
                break
        self.acting = True

    def answer(self, holder, number):
        self.counts["releases"] += 1
        if self.acting:
            self.fail("answers a release while the program acts")
        elif holder != self.holder:
            self.fail("answers for another holder")
        elif number not in self.answers:
            self.fail("answers a release that is not asked for")
        elif not self.answers[number]:
            self.fail("answers a release twice")
        else:
            self.answers[number] -= 1
        if number == self.asked:
            self.asked = 0

    def line(self, line, outputs):
        word, _, rest = line.partition(" ")
        verb, _, text = rest.partition(" ")
        if word == "new":
            self.new(*rest.split())
            return
        self.now = int(word)
        if verb == "connect":
            self.down()
            self.up, self.since = True, self.now
            self.answers = {}
        elif verb == "message" and self.up and None not in self.wire:
            self.must_end |= self.invalid
            refused = FULL in text and not self.heard and not self.wire
            if not self.must_end:
                self.wire.append(None if refused else text)
        elif verb == "end" and self.up:
            self.wire.append(None)
        elif verb in ("process", "may_act"):
            self.read(outputs)
        elif verb == "released":
            self.acting = False
        for output in outputs:
            words = output.split()
            if words[1] == "act" and words[2] != "no":
                self.act(int(words[2]))
            elif words[1] == "event":
                leads = words[3] == "role=leader"
                self.taken = int(words[4].removeprefix("token=")) if leads else 0
            elif words[1] == "release":
                self.answer(words[2], int(words[3]))
        if verb in ("process", "may_act", "released") and self.asked and not self.acting:
            self.fail("leaves a release without an answer")
            self.asked = 0
        # Nobody waits any more for the answers to others.
        self.answers = {n: left * (n == self.asked) for n, left in self.answers.items()}

    def judge(self, lines):
        """Returns what is wrong."""
        self.invalid = False
        i = 0
        while i < len(lines):
            line, outputs = lines[i], []
            self.number = i = i + 1
            while i < len(lines) and lines[i].startswith(">"):
                outputs.append(lines[i])
                i += 1
            if line.startswith("# history"):
                self.here = line[2:]
            if line and not line.startswith("#"):
                self.line(line, outputs)
            self.invalid = line == INVALID
        return self.wrong


def judged(name, lines):
    judge = Judge()
    wrong = judge.judge(lines)
    counts = ", ".join(f"{n} {what}" for what, n in judge.counts.items())
    print(f"{name}: {counts}, {len(wrong)} wrong")
    for words in wrong[:10]:
        print(f"    {words}")
    if not all(judge.counts.values()):
        print(f"{name}: nothing was judged")
    return not wrong and all(judge.counts.values())


def differ(name, ours, theirs):
    """Prints the first difference, with the lines before it."""
    for i in range(max(len(ours), len(theirs))):
        a, b = (lines[i] if i < len(lines) else "(nothing)" for lines in (ours, theirs))
        if a == b:
            continue
        begin = max((k for k in range(i) if ours[k].startswith("# history")), default=0)
        print(f"{name}: another line than electd.py's in {ours[begin][2:]}:")
        for line in ours[max(begin, i - 12) : i]:
            print(f"      {line}")
        print(f"    - {a}\n    + {b}")
        return True
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=int(os.environ.get("ELECTD_SEED", "1")))
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--play", action="append", default=[], metavar="COMMAND")
    parser.add_argument("--print", action="store_true")
    arguments = parser.parse_args()
    lines = make(arguments.seed, arguments.count)
    ours = play.play(lines)
    if arguments.print:
        sys.stdout.write("\n".join(ours) + "\n")
        return 0
    print(f"seed {arguments.seed}, {arguments.count} histories, {len(lines)} lines")
    good = judged("electd.py", ours)
    text = "\n".join(lines) + "\n"
    for command in arguments.play:
        done = subprocess.run(
            shlex.split(command), input=text.encode(), stdout=subprocess.PIPE, check=False
        )
        theirs = done.stdout.decode("utf-8", "surrogateescape").split("\n")[:-1]
        if done.returncode:
            print(f"{command}: exit status {done.returncode}")
            good = False
        good = judged(command, theirs) and good
        good = not differ(command, ours, theirs) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
