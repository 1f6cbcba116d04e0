#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What electd shows of addresses that the leader has. This program plays electd-address, so no
address is added anywhere."""
import json
import socket

import lan
import report
from report import Failed

OURS = "192.0.2.100", "2001:db8::100"
CONFIG = "addresses = [ %s ];" % ", ".join('"%s"' % a for a in OURS)


class Mover:
    """A holder of rank address."""

    def __init__(self, host):
        self.host = host
        self.rest = b""
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.settimeout(lan.PATIENCE)
        self.stream.connect(host.socket_path)
        self.stream.sendall(json.dumps({"method": "io.electd.Subscribe", "more": True, "parameters": {
            "hold": True, "name": "mover", "rank": "address"}}).encode() + b"\0")
        snapshot = self.change()
        self.holder, self.seq = snapshot["holder"], snapshot["seq"]

    def change(self):
        """The next event that is not `alive`."""
        while True:
            while b"\0" not in self.rest:
                piece = self.stream.recv(65536)
                if not piece:
                    raise Failed("electd has ended the connection")
                self.rest += piece
            text, self.rest = self.rest.split(b"\0", 1)
            event = json.loads(text)["parameters"]
            if event["event"] != "alive":
                return event

    def report(self, *states, **more):
        self.host.call("io.electd.ReportAddresses", holder=self.holder, addresses=[
            {"address": a, "state": s, "interface": "eth0", "lease_ms": 1000,
             "announced_boot_ms": int(lan.now() * 1000), **more} for a, s in zip(OURS, states)])


def want(host, status, *words, out):
    done = host.electctl(*words)
    if done.returncode != status or out not in done.stdout:
        raise Failed("%s: exit %d, wanted %d and %r; said %r" % (
            " ".join(words), done.returncode, status, out, done.stdout + done.stderr))


def checked(host, status, out):
    lan.until("check: " + out, lambda: (lambda d: d.returncode == status and out in d.stdout)(
        host.electctl("check")))


def told(net):
    leader, (other,) = net.leader_and_others()
    checked(leader, 6, "address-lost: this host leads without %s and 1 more: electd-address is "
            "not connected" % OURS[0])
    want(leader, 1, "address", out="unknown")
    movers = Mover(leader), Mover(other)
    movers[0].report("held", "held")
    movers[1].report("free", "free")
    checked(leader, 0, "OK")
    want(leader, 0, "address", out="held     eth0             1 s")
    want(leader, 0, "status", out="Addresses %s on eth0, announced " % OURS[0])
    want(other, 0, "address", out="free")
    want(other, 0, "status", out="Addresses %s with %s" % (", ".join(OURS), leader.name))


def published(net):
    """A state is an event, an announcement is none. On a follower nothing else changes."""
    _, (other,) = net.leader_and_others()
    mover = Mover(other)
    for states in ("free", "free"), ("free", "free"), ("free", "free"), ("free", "kept"):
        mover.report(*states)
    for count, state in (1, "free"), (2, "kept"):
        event = mover.change()
        shown = event["status"]["addresses"][1]["state"]
        if (event["event"], event["seq"] - mover.seq, shown) != ("state", count, state):
            raise Failed("%s %d: %s" % (event["event"], event["seq"] - mover.seq, shown))
    mover.stream.close()


def forgotten(net):
    """electd-address has ended; then nothing is configured any more."""
    leader, _ = net.leader_and_others()
    mover = Mover(leader)
    mover.report("held", "held", conflict="02:00:00:00:00:01",
                 conflict_boot_ms=int(lan.now() * 1000))
    checked(leader, 6, "address-conflict: another machine, 02:00:00:00:00:01, claims %s and 1 more" %
            OURS[0])
    want(leader, 6, "doctor", out="02:00:00:00:00:01")
    mover.stream.close()
    lan.until("the report is forgotten", lambda: all(
        a["state"] == "unknown" for a in leader.call("io.electd.GetAddresses")["addresses"]))
    leader.write_config("")
    want(leader, 0, "reload", out="needs: sudo systemctl reload electd: addresses")
    want(leader, 0, "address", out="no address is configured")
    checked(leader, 0, "OK")


lan.setup()
tests = report.Report()
for test in told, published, forgotten:
    with lan.Lan(2, CONFIG) as hosts:
        hosts.start()
        tests.attempt(test.__name__, test, hosts)
tests.exit()
