# SPDX-License-Identifier: Apache-2.0
"""Faults of hosts, for doctor.py: what is not the same everywhere, and what is wrong on one."""
import json
import signal
import socket
import time

import hooked
from doctor_tools import (
    APART, await_call, await_said, command_of, configure, heard, keys_of, mended, named, older_version,
    restart_with, told, typed, wait_well)
from lan import PATIENCE, Failed

# ---- what is not the same ----------------------------------------------------------------------------

def other_timings(net, runs):
    """Each says it of the others, and the command is typed where it is meant."""
    host = net.hosts[2]
    restart_with(host, "timing = { beacon_interval_ms = 300; dead_after_ms = 900; };")
    net.wait("they are together", net.one_group)
    leader = net.leader()
    odd, even = (300, 900), (200, 600)
    seen, own = (even, odd) if leader is not host else (odd, even)
    looks = host if leader is not host else net.hosts[0]
    await_said(looks, "the leader's timings are known", lambda answer: any(
        (h["timings"] or {}).get("beacon_ms") == seen[0] for h in answer["hosts"]))
    found = named(looks, runs, "timings-differ", "%s beacons every %d ms and counts as dead after %d; "
                  "here these are %d and %d" % (leader.name, *seen, *own), *APART)
    configure(host)
    typed(host, found, "sudo electctl reload")
    await_said(host, "it has them", lambda answer: answer["timings"]["beacon_ms"] == 200)
    return told(runs, found)


def other_version(net, runs):
    """A hint: they elect together."""
    host, looks = net.hosts[2], net.hosts[0]
    host.kill()
    host.program, own, other = older_version(host)
    host.start()
    net.settle()
    await_said(looks, "it has told its version",
               lambda answer: heard(answer, host).get("version") == other)
    return told(runs, named(looks, runs, "versions-differ", "%s has version %s of electd, this host %s" % (
        host.name, other, own), code=0))


def other_key(net, runs):
    """Who has none is told of who has one, and the other way round."""
    keyless, host = net.hosts[0], net.hosts[2]
    restart_with(host, keys_of(host, "2 %s\n" % ("5a" * 32)))
    for one in keyless, host:
        await_key(one)
    found = named(keyless, runs, "other-key", "%s sends under key 2" % host.address, "problem", *APART)
    there = named(host, runs, "no-key", "sends without a key file", *APART)
    command_of(found, r"sudo systemctl restart electd")
    for one in net.hosts[:2]:    # which is what the unit does
        restart_with(one, keys_of(one, "2 %s\n" % ("5a" * 32)))
    wait_well(net, keyless)
    return told(runs, found, there) + "; mended by a restart"


def await_key(host):
    """A datagram under another key has come."""
    await_call(host, "GetStatus", lambda status: status["other_keys"])


def other_secret(net, runs):
    first, _, third = net.hosts
    restart_with(first, keys_of(first, "1 %s\n" % ("5a" * 32)))
    restart_with(third, keys_of(third, "1 %s\n" % ("a5" * 32)))
    await_said(third, "a bad tag", lambda answer: any(
        row["reason"] == "tag" and row["address"] == first.address for row in answer["refused"]))
    return told(runs, named(third, runs, "other-secret", "what %s sends under a key of this host" %
                            first.address, "no-key", *APART))


def other_domain(net, runs):
    host = net.hosts[2]
    restart_with(host, 'domain = "guest";')
    await_said(host, "it hears another domain", lambda answer: any(
        row["reason"] == "domain" for row in answer["refused"]))
    return told(runs, named(host, runs, "other-domain", 'no other host of the domain "guest" is heard'))


# ---- the host itself ---------------------------------------------------------------------------------

def late(net, runs):
    """Not for so long that it counts as having stood still. Who leads beacons, so it is due often."""
    for host in net.hosts:
        restart_with(host, "timing = { beacon_interval_ms = 200; dead_after_ms = 4000; };")
    net.settle()
    host = net.leader()
    host.process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    host.process.send_signal(signal.SIGCONT)
    return told(runs, named(host, runs, "late", "was woken up to", *APART))


def unreported(net, runs):
    host = net.hosts[0]
    restart_with(host, 'health = { required = [ "pg" ]; };')
    found = named(host, runs, "required-unreported", "pg is required, and nobody has reported it", *APART)
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl well pg")


def sick(net, runs):
    host = net.hosts[0]
    host.call("io.electd.Report", name="pg", well=False, words="connection refused")
    found = named(host, runs, "sick", "pg is sick: connection refused", *APART)
    return told(runs, found) + "; " + mended(net, host, found, "sudo electctl well pg")


def failed_hook(net, runs):
    """A script of the leader; what it printed is where the command says."""
    host = net.leader()
    hookd = hooked.Hooked(host, hooks=())
    hookd.install("10-vip", "#!/bin/sh\necho no such address >&2\nexit 3\n")
    hookd.start()
    try:
        await_hook(host, lambda report: not report["ok"])
        found = named(host, runs, "hook-failed", "the script 10-vip on leader: ")
        if "no such address" not in typed(host, found, "sudo electctl hooks list"):
            raise Failed("electctl hooks list does not show why")
    finally:
        hookd.end()
        hookd.forget()
    return told(runs, found)


def await_hook(host, condition):
    await_call(host, "GetHooks", lambda hooks: any(map(condition, hooks["reports"])))


class FalseHookd:
    """Reports how runs ended, as electd-hookd does."""

    def __init__(self, host):
        self.host = host
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.settimeout(PATIENCE)
        self.stream.connect(host.socket_path)
        self.stream.sendall(json.dumps({
            "method": "io.electd.Subscribe", "more": True,
            "parameters": {"hold": True, "name": "electd-hookd"}}).encode() + b"\0")
        data = b""
        while b"\0" not in data:
            data += self.stream.recv(65536)
        self.holder = json.loads(data.split(b"\0")[0])["parameters"]["holder"]

    def report(self, script, result):
        self.host.call("io.electd.HookReport", holder=self.holder, script=script, event="leader",
                       result=result, status=1, runtime_ms=5, seq=1, token="1", output="")


def failed_unit(net, runs):
    """Without systemd there is none that fails: what electd-hookd tells then."""
    host = net.hosts[0]
    hookd = FalseHookd(host)
    hookd.report("db.service", "unit-failed")
    found = named(host, runs, "unit-failed", "the unit db.service, which follows the leader")
    command_of(found, r"systemctl status db\.service")
    hookd.stream.close()
    return told(runs, found)


FAULTS = [
    other_timings, other_version, other_key, other_secret, other_domain, late, unreported, sick,
    failed_hook, failed_unit,
]
