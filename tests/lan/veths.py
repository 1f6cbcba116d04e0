#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host of containers: links come and go next to the interface that electd uses (crashes A10).

veths.py [CHANGES [VETHS [MS]]]: one host with that many veths (default 400), one of which changes
each MS milliseconds (50), CHANGES times (200). First network.interfaces names the interface, then a
default route selects it, among thousands of other routes. strace counts how often electd reads the
links, and electd must notice a change of its interface."""
import contextlib
import random
import subprocess
import sys
import tempfile
import time

import lan
import report
import wires
from report import Failed

READ_EVERY = 0.200      # NET_ELSEWHERE_MS
# A dump during which links change is repeated (TRIES_MAX in daemon/net/dump.c): a few in a hundred.
REPEATED = 2
ROUTES = 5000
NAMED = 'network = { interfaces = [ "eth0" ]; };'


class Links:
    """The veths of a host. ip(8) changes one for each line that it reads."""

    def __init__(self, host, count):
        self.names = ["veth%d" % number for number in range(count)]
        self.ip = subprocess.Popen(["ip", "-n", host.name, "-force", "-batch", "-"],
                                   stdin=subprocess.PIPE, text=True)
        for one, other in zip(self.names[::2], self.names[1::2]):
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

    def change(self, count, every):
        """Makes that many changes, evenly spread, and returns the seconds that they took."""
        began = lan.now()
        for number in range(count):
            self.tell("link set %s mtu %d" % (random.choice(self.names), random.randrange(1300, 1500)))
            time.sleep(max(0, began + (number + 1) * every - lan.now()))
        return lan.now() - began

    def close(self):
        self.ip.stdin.close()
        self.ip.wait(lan.PATIENCE)


def traced(host):
    with open("/proc/%d/status" % host.process.pid, encoding="utf-8") as status:
        return "TracerPid:\t0\n" not in status.read()


@contextlib.contextmanager
def dumps(host):
    """Returns a function that returns how often the links were read so far."""
    with tempfile.NamedTemporaryFile("r", dir=host.dir) as trace:
        strace = subprocess.Popen(
            # In the network of electd, where strace knows which sockets are netlink sockets.
            ["nsenter", "--net=/run/netns/" + host.name, "strace", "-f", "-q", "-o", trace.name, "-e",
             "trace=sendto", "-p", str(host.process.pid)], stderr=subprocess.PIPE, text=True)
        lan.until("strace has attached", lambda: traced(host))
        try:
            yield lambda: open(trace.name, encoding="utf-8").read().count("nlmsg_type=RTM_GETLINK")
        finally:
            strace.terminate()
            strace.wait(lan.PATIENCE)


def reads(host, links, count, every):
    with dumps(host) as seen:
        seconds = links.change(count, every)
        read = seen()
    most = REPEATED * (seconds / READ_EVERY + 1)
    words = "%d reads of all links for %d changes in %.1f s, at most %.0f" % (read, count, seconds, most)
    if not 0 < read <= most:
        raise Failed(words)
    return words


def seen_meanwhile(net, host, links, every):
    """eth0 is unplugged and plugged in during changes: the log reports it; only eth0 is used."""
    def lines():
        return host.log().count("no carrier") + host.log().count("uses eth0")
    for state in "down", "up":
        before = lines()
        lan.run("ip", "link", "set", host.port, state)
        end = lan.now() + lan.PATIENCE
        while lines() == before:
            if lan.now() > end:
                raise Failed("eth0 is %s, and the log does not have it" % state)
            links.change(1, every)
    net.settle()
    used = {path["interface"] for path in host.call("io.electd.Doctor")["paths"]}
    if used != {"eth0"}:
        raise Failed("uses %s" % sorted(used))


def main():
    count, veths, ms = [int(sys.argv[n]) if len(sys.argv) > n else default
                        for n, default in enumerate((200, 400, 50), 1)]
    result = report.Report()
    lan.setup()
    for name, config in ("named", NAMED), ("routed", ""):
        with lan.Lan(1, config) as net:
            host = net.hosts[0]
            links = Links(host, veths)
            if name == "routed":
                wires.batch(["route add default via 10.77.0.254"] +
                            ["route add 10.200.%d.%d/32 dev veth0 table 10" % divmod(n, 256)
                             for n in range(ROUTES)] +
                            ["route add fd77::%x/128 dev veth0" % n for n in range(1, ROUTES + 1)],
                            host.name)
            lan.until("no address is tentative", lambda: not lan.run(
                "ip", "-n", host.name, "addr", "show", "tentative").stdout)
            host.start()
            net.settle()
            result.attempt(name + ", reads", reads, host, links, count, ms / 1000)
            result.attempt(name + ", in use", seen_meanwhile, net, host, links, ms / 1000)
            links.close()
    result.exit()


if __name__ == "__main__":
    main()
