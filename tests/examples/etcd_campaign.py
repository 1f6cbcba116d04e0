#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/etcd-campaign, as printed: two LANs of two hosts, and a fifth host with etcd on both.
The service runs on one host of both LANs at a time: when a LAN is cut off from etcd, also while its
host waits, and when the leader of a LAN hands over."""
import guide
import hosts
from hosts import Failed, now, until
import report

SCHEDULER = """#!/usr/bin/python3
import os, time
with open("/var/log/ran", "a", 1) as f:
    while True:
        print(time.clock_gettime(time.CLOCK_BOOTTIME), os.environ["ETCD_LOCK_REV"], file=f)
        time.sleep(0.02)
"""
SECOND_LAN = "198.51.100"


class Net:
    """host1 and host2 on one LAN, host3 and host4 on another, etcd on host5, which is on both."""

    def __init__(self, net):
        self.net = net
        self.lans = [net.hosts[:2], net.hosts[2:4]]
        self.etcd = net.hosts[4]
        self.ports = ["vb-host5", "vb-etcd"]
        self.bridges = ["lan", "lan2"]

    def start(self):
        hosts.run("ip", "link", "add", "lan2", "type", "bridge", "mcast_snooping", "0",
                  "forward_delay", "0")
        hosts.run("ip", "link", "set", "lan2", "up")
        for host in self.lans[1]:
            host.write("/etc/systemd/system/lan.service",
                       hosts.MANUAL_LAN.replace("192.0.2", SECOND_LAN) % host.number)
        self.etcd.write("/etc/default/etcd", "ETCD_LISTEN_CLIENT_URLS=http://0.0.0.0:2379\n"
                        "ETCD_ADVERTISE_CLIENT_URLS=http://etcd:2379\n")
        for lan, bridge, etcd in zip(self.lans, self.bridges, ("192.0.2.5", SECOND_LAN + ".5")):
            for host in lan:
                host.write("/etc/hosts", "127.0.0.1 localhost\n%s etcd\n" % etcd)
                host.write("/usr/local/bin/scheduler", SCHEDULER, 0o755)
                self.boot(host, bridge)
        self.boot(self.etcd, "lan")
        for host in self.net.hosts:
            host.booted()
        hosts.run("ip", "link", "add", self.ports[1], "master", "lan2", "type", "veth", "peer",
                  "name", "eth1", "netns", str(self.etcd.leader))
        hosts.run("ip", "link", "set", self.ports[1], "up")
        self.etcd.run("ip", "address", "add", SECOND_LAN + ".5/24", "dev", "eth1")
        self.etcd.run("ip", "link", "set", "eth1", "up")
        self.etcd.systemctl("start", "etcd")
        for lan in self.lans:
            for host in lan:
                host.systemctl("-q", "enable", "--now", "electd")
            self.net.settle(lan)

    def boot(self, host, bridge):
        self.net.bridge = bridge
        host.boot()

    def cut(self, number, off):
        """Cuts a LAN off from etcd, or connects it again. Returns the time."""
        where = ("nomaster",) if off else ("master", self.bridges[number])
        hosts.run("ip", "link", "set", self.ports[number], *where)
        return now()

    def number(self, host):
        return next(n for n, lan in enumerate(self.lans) if host in lan)

    def states(self):
        return [host.state("campaign") for lan in self.lans for host in lan]

    def campaigns(self):
        """Waits until both leaders campaign, one has the lock, and each LAN has another host that
        may lead. Returns the host with the lock."""
        def found():
            for lan in self.lans:
                self.net.settle(lan)
                if any(host.ask()["node"]["barred_ms"] for host in lan):
                    return None
            if sorted(self.states()) == ["activating", "active", "inactive", "inactive"]:
                return next(h for lan in self.lans for h in lan if h.state("campaign") == "active")
            return None
        return until("one of two leaders holds the lock", found)

    def spans(self):
        """Returns (lock, host, first, last) of each time it ran, ordered by `first`."""
        found = {}
        for host in self.net.hosts[:4]:
            for line in report.whole_lines(host.root + "/var/log/ran"):
                at, lock = line.split()
                span = found.setdefault((int(lock), host), [float(at), float(at)])
                span[1] = float(at)
        return sorted(((*run, *span) for run, span in found.items()), key=lambda span: span[2])

    def taken(self, at):
        """Waits until the service runs on another host since then, and returns that host."""
        return until("another host runs it", lambda: next(
            (host for _, host, first, _ in self.spans() if first > at), None))


def installed(net, page):
    for lan in net.lans:
        for host in lan:
            page.type(host, "install ")
        page.type(net.net.leader(lan), "systemctl start")
    told = page.type(net.campaigns(), "systemctl is-active").stdout
    if told != "active\n":
        raise Failed("output: " + told)


def cut_off(net):
    number = net.number(net.campaigns())
    if net.number(net.taken(net.cut(number, True))) == number:
        raise Failed("the LAN that was cut off has it")
    net.cut(number, False)


def handed_over(net):
    old, at = net.campaigns(), now()
    old.electctl("resign", "--for", "1")
    net.taken(at)


def lost_while_waiting(net):
    """A waiting host is cut off for longer than its lease: it must not believe later that it has
    the lock, as etcdctl 3.4 does."""
    number = 1 - net.number(net.campaigns())
    net.cut(number, True)
    until("its lease has expired", lambda: "found 1 leases" in net.etcd.run(
        "etcdctl", "lease", "list").stdout)
    net.cut(number, False)
    net.net.leader(net.lans[1 - number]).electctl("resign", "--for", "1")
    net.campaigns()


def one_at_a_time(net):
    """Never two ran at once, and each later run had a higher number."""
    spans = net.spans()
    for old, new in zip(spans, spans[1:]):
        if old[3] >= new[2]:
            raise Failed("two ran for %.3f s" % (min(old[3], new[3]) - new[2]))
        if old[0] >= new[0]:
            raise Failed("ETCD_LOCK_REV does not rise")
    return "it ran %d times" % len(spans)


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("etcd-campaign")
    with guide.lan(5) as lan:
        net = Net(lan)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("every block is typed", page.all_typed)
        result.attempt("cut off while it waits", lost_while_waiting, net)
        result.attempt("cut off from etcd", cut_off, net)
        result.attempt("a hand-over", handed_over, net)
        result.attempt("one at a time", one_at_a_time, net)
    result.exit()


if __name__ == "__main__":
    main()
