#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A leader that stands still for 0.5 to 20 times dead_after, and goes on.

stalls.py [RUNS [SEED]]: from the moment it runs again until it has asked the others, it must tell
nobody that it leads: not on the wire (the bit "established" of its standing), not to a subscriber,
not to who asks the control socket, also if the question came while it stood still. That holds for
every stall longer than dead_after, and for every one in which somebody else took over.

Suspended machines: what a daemon sees of one is that CLOCK_BOOTTIME goes on while it does not run,
and that is what SIGSTOP does. The offsets of a time namespace can be written only before its
first process has entered it, so no clock can be moved under a running daemon there; and a frozen
control group is the same to the process as a signal. Gaps of the clock without a signal are the
simulator's (`electsim`, fault "gap").

One that is preferred and stalls again and again is given more time (algorithm.md 4.13), and says so.
"""
import json
import random
import re
import signal
import socket
import sys
import time

import frames
import lan
import report
from report import Failed

# Short, so that a hundred stalls take minutes.
BEACON, DEAD = 0.100, 0.300
CONFIG = "timing = { beacon_interval_ms = 100; dead_after_ms = 300; };"
HOSTS = 3
WATCHED = 0.25    # how long the control socket is asked after the stall

# The defaults: a stall that costs the role until its patience has grown.
PREFERRED = "preempt = true;"
STALL, PAUSE, PATIENT_MS, MISTAKES = 0.7, 1.5, 200, 4


def stopped(pid):
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rsplit(")", 1)[1].split()[0] == "T"


def stop(host):
    host.process.send_signal(signal.SIGSTOP)
    while not stopped(host.process.pid):
        time.sleep(0.0005)
    return lan.now()


# What makes others say that they have gone on without it.
ASKS = {"AYCoord", "AYThere", "Hello"}


class Question:
    """GetStatus, put into the socket of a daemon that stands still."""

    def __init__(self, host):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(lan.PATIENCE)
        self.socket.connect(host.socket_path)
        self.socket.sendall(b'{"method":"io.electd.GetStatus"}\0')

    def status(self):
        data = b""
        while not data.endswith(b"\0"):
            piece = self.socket.recv(65536)
            if not piece:
                raise Failed("a question asked during the stall was not answered")
            data += piece
        self.socket.close()
        return json.loads(data[:-1])["parameters"]


def still_leads(status, went_on):
    """It says that it leads, and did before it stood still: so it has not asked."""
    return status["role"] == "leader" and lan.now() - status["since_ms"] / 1000 < went_on


class Stall:
    """One stall of the present leader, and all that was said after it."""

    def __init__(self, net, sniffer, seconds):
        self.net, self.host, self.seconds = net, net.leader(), seconds
        self.token = self.host.token()
        self.others = [h for h in net.hosts if h is not self.host]
        began = stop(self.host)
        questions = [Question(self.host) for _ in range(3)]
        time.sleep(max(0.0, began + seconds - lan.now()))
        self.replaced = any(h.token() > self.token for h in self.others)
        before = [frames.sequence_of(frame) for h, to_all, _, frame in sniffer.drain()
                  if h is self.host and to_all]
        mark, self.went_on = net.mark(), lan.now()
        self.host.process.send_signal(signal.SIGCONT)
        self.lies, self.led = 0, 0
        for question in questions:
            self.heard(question.status())
        while lan.now() < self.went_on + WATCHED:
            self.heard(self.host.call("io.electd.GetStatus"))
            time.sleep(0.003)
        net.settle()
        self.events = [e["status"]["role"] for _, h, e in net.since(mark) if h is self.host]
        # A message that was stopped between one family and the other goes on by the other.
        self.frames = [(name, frames.says_leader(frame)) for h, to_all, name, frame in sniffer.drain()
                       if h is self.host and not (
                           to_all and frames.sequence_of(frame) in before[-1:])]
        self.long = self.went_on - began > DEAD

    def heard(self, status):
        self.lies += still_leads(status, self.went_on)
        self.led += status["role"] == "leader"

    def must_ask(self):
        return self.long or self.replaced

    def judge(self):
        what = "stall of %.2f dead_after, %sreplaced: " % (
            self.seconds / DEAD, "" if self.replaced else "not ")
        if not self.events or self.events[0] == "leader":
            raise Failed(what + "subscribers are told %s" % self.events)
        if self.lies:
            raise Failed(what + "the control socket says %d times that it leads" % self.lies)
        if not self.frames or self.frames[0][1] is not False:
            raise Failed(what + "the first datagrams say: %s" % self.frames[:4])
        asked = [name for name, leads in self.frames[:self._leads_again()]]
        if not set(asked) & ASKS:
            raise Failed(what + "it leads again after sending %s" % asked)

    def _leads_again(self):
        """How many datagrams it sent before the first one in which it leads again."""
        return next((n for n, (_, leads) in enumerate(self.frames) if leads), len(self.frames))


def stalls(net, sniffer, runs, chance):
    count = {"long": 0, "short": 0, "replaced": 0, "again": 0}
    wrong = []
    for n in range(runs):
        # Every length is as likely as its double; the ends are always there.
        factor = {0: 20, 1: 0.5, 2: 1.2}.get(n, 0.5 * 40 ** chance.random())
        net.settle()
        time.sleep(chance.uniform(2, 3) * BEACON)
        one = Stall(net, sniffer, factor * DEAD)
        try:
            if one.must_ask():
                one.judge()
        except Failed as error:
            wrong.append(str(error))
        count["long" if one.long else "short"] += 1
        count["replaced"] += one.replaced
        count["again"] += one.replaced and one.led > 0
    if wrong:
        raise Failed("%d of %d: %s" % (len(wrong), runs, "; ".join(wrong[:5])))
    if not count["replaced"]:
        raise Failed("nobody took over in %d stalls: nothing was tested" % runs)
    return "%d longer than dead_after, %d shorter; replaced %d times, led again soon after that" \
        " %d times" % (count["long"], count["short"], count["replaced"], count["again"])


def alone(net, sniffer, runs, chance):
    """All stand still at once: nobody took over, and still the leader asks first."""
    for _ in range(runs):
        net.settle()
        time.sleep(2 * BEACON)
        leader = net.leader()
        for host in net.hosts:
            stop(host)
        question = Question(leader)
        time.sleep(chance.uniform(1.5, 4) * DEAD)
        sniffer.drain()
        mark, went_on = net.mark(), lan.now()
        for host in net.hosts:
            host.process.send_signal(signal.SIGCONT)
        lies = still_leads(question.status(), went_on)
        net.settle()
        first = next((e["status"]["role"] for _, h, e in net.since(mark) if h is leader), None)
        said = [frames.says_leader(f) for h, _, _, f in sniffer.drain() if h is leader]
        if lies or first == "leader" or not said or said[0] is not False:
            raise Failed("it answers %s, tells %s, sends %s" % (lies, first, said[:4]))
    return "%d times" % runs


def patience(net, count):
    """One that stalls again and again is given more time, and says so; then nobody takes over."""
    net.settle()
    first, mark = net.hosts[0], net.mark()
    for _ in range(count):
        net.wait("%s leads" % first.name, lambda: net.led() and net.leader() is first)
        time.sleep(PAUSE)
        stop(first)
        time.sleep(STALL)
        first.process.send_signal(signal.SIGCONT)
        time.sleep(STALL)
    net.wait("%s leads" % first.name, lambda: net.led() and net.leader() is first)
    # Not by the tokens of `first`: it leads with another one after each stall that it notices.
    tokens = {e["status"]["token"] for _, h, e in net.since(mark)
              if h is not first and e["status"]["role"] == "leader"}
    replaced = len(tokens)
    if not replaced:
        raise Failed("nobody took over in %d stalls: nothing was tested" % count)
    if replaced > MISTAKES:
        raise Failed("others led %d times in %d stalls: %s" % (replaced, count, sorted(tokens)))
    told = [h.call("io.electd.GetStatus")["patience"] for h in net.hosts]
    alarms = told[0]["false_alarms"] if told[0] else 0
    if not 0 < alarms <= replaced or any(
            not t or t["host"]["name"] != first.name or t["false_alarms"] != alarms or
            t["ms"] != alarms * PATIENT_MS for t in told):
        raise Failed("of %d false alarms the hosts say: %s" % (replaced, told))
    text = first.electctl("status").stdout
    if "Patience  %d ms" % (alarms * PATIENT_MS) not in text:
        raise Failed("status says: %s" % text)
    text = first.call("io.electd.GetMetrics")["text"]
    if not re.search(r"^electd_false_alarms_total\{[^}]*\} %d$" % alarms, text, re.M):
        raise Failed("metrics say: %s" % re.findall("^electd_false.*", text, re.M))
    return "others led %d times in %d stalls of %d ms" % (replaced, count, STALL * 1000)


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 31)
    if len(sys.argv) <= 2:
        sys.argv = [sys.argv[0], str(runs), str(seed)]
    chance = random.Random(seed)
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS, CONFIG) as net:
        sniffer = frames.Sniffer(net)
        net.start()
        result.attempt("leader stalled, seed %d" % seed, stalls, net, sniffer, runs, chance)
        result.attempt("all stalled", alone, net, sniffer, max(2, runs // 5), chance)
        if result.failed:
            net.print_logs()
        sniffer.close()
    with lan.Lan(HOSTS, PREFERRED) as net:
        net.hosts[0].write_config(PREFERRED + " priority = 200;")
        net.start()
        result.attempt("the preferred leader stalls", patience, net, max(6, runs // 5))
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
