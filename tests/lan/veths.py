#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host of containers: links that come and go beside the interface that electd uses (crashes A10).

veths.py [CHANGES [VETHS [MS]]]: one host with so many veths (default 400), of which one changes each
MS milliseconds (50), CHANGES times (200) in each part; once the interface in use is named by
network.interfaces and once a default route chooses it. Judged are how often electd reads the links for
that (strace counts the dumps), and that a change of an interface in use is seen meanwhile. Printed are
the processor time that electd takes for a change, less what it takes when nothing changes, and the
longest time until it answers a call.
"""
import contextlib
import random
import subprocess
import sys
import tempfile
import time

import lan
import report
from report import Failed

CHANGE_EVERY = 0.050
READ_EVERY = 0.200      # NET_ELSEWHERE_MS
# A dump that links change under is repeated (TRIES_MAX in daemon/net/dump.c), a few in a hundred.
REPEATED = 2
CALL_EVERY = 0.002
NAMED = 'network = { interfaces = [ "eth0" ]; };'


class Links:
    """The veths of a host. ip(8) changes one for each line that it reads."""

    def __init__(self, host, count):
        self.names = ["veth%d" % number for number in range(count)]
        pairs = zip(self.names[::2], self.names[1::2])
        self.ip = subprocess.Popen(["ip", "-n", host.name, "-force", "-batch", "-"],
                                   stdin=subprocess.PIPE, text=True)
        for one, other in pairs:
            self.tell("link add %s type veth peer name %s" % (one, other))
        for name in self.names:
            self.tell("link set %s up" % name)
        last = self.names[-1]
        self.tell("link set %s alias last" % last)
        lan.until("all veths are there", lambda: "alias last" in lan.run(
            "ip", "-n", host.name, "link", "show", "dev", last, check=False).stdout)

    def tell(self, line):
        self.ip.stdin.write(line + "\n")
        self.ip.stdin.flush()

    def change(self):
        self.tell("link set %s mtu %d" % (random.choice(self.names), random.randrange(1300, 1500)))

    def close(self):
        self.ip.stdin.close()
        self.ip.wait(lan.PATIENCE)


def changes(links, count, meanwhile=time.sleep):
    """So many, evenly; the seconds that they took."""
    began = lan.now()
    for number in range(count):
        if links:
            links.change()
        meanwhile(max(0, began + (number + 1) * CHANGE_EVERY - lan.now()))
    return lan.now() - began


def processor(host, links, count):
    """Milliseconds of the processor for a change."""
    def used(changing):
        before = report.cpu_seconds(host.process.pid)
        changes(changing, count)
        return report.cpu_seconds(host.process.pid) - before
    idle = used(None)
    return (used(links) - idle) * 1000 / count


def longest_answer(host, links, count):
    """Milliseconds."""
    worst = 0

    def call(seconds):
        nonlocal worst
        end = lan.now() + seconds
        while True:
            began = lan.now()
            host.call("org.varlink.service.GetInfo")
            worst = max(worst, lan.now() - began)
            if lan.now() > end:
                return
            time.sleep(CALL_EVERY)
    changes(links, count, call)
    return worst * 1000


@contextlib.contextmanager
def dumps(host):
    """A function that says how often the links were read so far."""
    with tempfile.NamedTemporaryFile("r", dir=host.dir) as trace:
        strace = subprocess.Popen(
            # In the network of electd: there it knows which sockets are of netlink.
            ["nsenter", "--net=/run/netns/" + host.name, "strace", "-f", "-q", "-o", trace.name, "-e",
             "trace=sendto", "-p", str(host.process.pid)], stderr=subprocess.PIPE, text=True)
        lan.until("strace has attached", lambda: traced(host))
        try:
            yield lambda: open(trace.name, encoding="utf-8").read().count("nlmsg_type=RTM_GETLINK")
        finally:
            strace.terminate()
            strace.wait(lan.PATIENCE)


def traced(host):
    with open("/proc/%d/status" % host.process.pid, encoding="utf-8") as status:
        return "TracerPid:\t0\n" not in status.read()


def reads(host, links, count):
    with dumps(host) as seen:
        seconds = changes(links, count)
        read = seen()
    most = REPEATED * (seconds / READ_EVERY + 1)
    words = "%d reads of all links for %d changes in %.1f s, at most %.0f" % (
        read, count, seconds, most)
    if not 0 < read <= most:
        raise Failed(words)
    return words


def seen_meanwhile(net, host, links):
    """The cable of eth0 is pulled while others change: the log has it, however busy they are."""
    def lines():
        return host.log().count("no carrier") + host.log().count("uses eth0")
    for state in "down", "up":
        before = lines()
        lan.run("ip", "link", "set", host.port, state)
        end = lan.now() + lan.PATIENCE
        while lines() == before:
            if lan.now() > end:
                raise Failed("eth0 is %s, and the log does not have it" % state)
            changes(links, 1)
    net.settle()
    return "eth0 down and up"


def host_of(net, config, routed):
    host = net.hosts[0]
    host.write_config(config)
    if routed:
        lan.run("ip", "-n", host.name, "route", "add", "default", "via", "10.77.0.254")
    host.start()
    net.settle()
    return host


def main():
    global CHANGE_EVERY  # pylint: disable=global-statement
    if len(sys.argv) > 3:
        CHANGE_EVERY = int(sys.argv[3]) / 1000
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    veths = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    result = report.Report()
    lan.setup()
    for name, config in ("named", NAMED), ("routed", ""):
        with lan.Lan(1, NAMED) as net:
            host = host_of(net, config, name == "routed")
            links = Links(host, veths)
            lan.until("no address is tentative", lambda: not lan.run(
                "ip", "-n", host.name, "addr", "show", "tentative").stdout)
            print("%s, %d veths: %.2f ms of the processor for a change, longest answer %.0f ms" % (
                name, veths, processor(host, links, count), longest_answer(host, links, count)),
                flush=True)
            result.attempt(name + ", reads", reads, host, links, count)
            result.attempt(name + ", in use", seen_meanwhile, net, host, links)
            links.close()
    result.exit()


if __name__ == "__main__":
    main()
