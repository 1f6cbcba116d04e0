#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three elections on each of three hosts, on one LAN: what happens to one the others do not notice.

They share the network, the port of the group and the number of their host; configuration, state and
sockets are their own. With systemd, its units and scripts: booted/instances.py.
"""
import os
import time

import lan
import report
from report import Failed

HOSTS = 3
DOMAINS = ("default", "red", "blue")
QUIET = 2.0    # of steady state, for what is counted


class Instance(lan.Host):
    """The first ones are the hosts; the others are further electds of theirs."""

    def __init__(self, net, number, config=""):
        self.domain = DOMAINS[(number - 1) // HOSTS]
        machine = (number - 1) % HOSTS + 1
        self.machine = "host%d" % machine
        if number == machine:
            super().__init__(net, number, config)
            return
        self.lan = net
        self.number = number
        self.id = "%032x" % machine
        self.name = self.node_name = "%s-%s" % (self.machine, self.domain)
        self.port = "none"
        self.more_ports = []
        self.dir = os.path.join(net.dir, self.name)
        self.config = os.path.join(self.dir, self.domain + ".conf")
        self.state_dir = os.path.join(self.dir, "state")
        self.runtime_dir = os.path.join(self.dir, "run")
        self.socket_path = os.path.join(self.runtime_dir, "io.electd")
        self.process = None
        self.starts = []
        self.view = None
        os.makedirs(self.dir)
        self.write_config(config)

    def command(self, *more, wrapper=()):
        words = super().command(*more, wrapper=wrapper)
        words[1] = "--net=/run/netns/" + self.machine
        return words


def of(net, domain):
    return [h for h in net.hosts if h.domain == domain and h.process]


def leader_of(net, domain):
    return next((h for h in of(net, domain) if h.view and h.view["role"] == "leader"), None)


def settle(net):
    net.wait("each domain is a group with a leader", lambda: all(
        net.agreed(of(net, domain)) for domain in DOMAINS))


def rested(net):
    """Nobody says anything for a while."""
    mark = net.mark()
    time.sleep(1.5 * QUIET)
    return not net.since(mark)


def others_slept(net, domain, mark):
    """Nothing that another domain has to say came since then."""
    said = [lan.describe(e) for e in net.since(mark) if e[1].domain != domain]
    if said:
        raise Failed("another election noticed: %s" % said[0])


def apart(net):
    """The same hosts, and each domain knows its own alone."""
    ports = {}
    for host in net.hosts:
        if host.view["domain"] != host.domain or len(host.view["members"]) != HOSTS:
            raise Failed("%s: %s" % (host.name, host.view))
        if 'domain="%s"' % host.domain not in host.call("io.electd.GetMetrics")["text"]:
            raise Failed("%s has the metrics of another domain" % host.name)
        at = host.call("io.electd.Doctor")["port"]
        if at in ports.setdefault(host.machine, []):
            raise Failed("two on port %d of %s" % (at, host.machine))
        ports[host.machine].append(at)
    return "ports %s on each" % ", ".join(
        sorted({"%d to %d" % (min(p), max(p)) for p in ports.values()}))


def counted(net):
    """Datagrams of other domains are counted as such, and are nothing else. `family` is of a moment
    after the start: an address of IPv6 is not used before the kernel knows that nobody else has it."""
    before = {h: h.dropped() for h in net.hosts}
    mark = net.mark()
    time.sleep(QUIET)
    for host in net.hosts:
        now = host.dropped()
        rose = {reason for reason in now if now[reason] > before[host].get(reason, 0)}
        if rose - {"family"} != {"domain"}:
            raise Failed("%s: dropped for %s" % (host.name, sorted(rose)))
    if net.since(mark):
        raise Failed(lan.describe(net.since(mark)[0]))


def resigned(net):
    mark, old = net.mark(), leader_of(net, "red")
    old.resign(30)
    net.wait("another one leads red", lambda: leader_of(net, "red") not in (None, old) and
             net.agreed(of(net, "red")))
    others_slept(net, "red", mark)


def killed(net):
    mark, old = net.mark(), leader_of(net, "blue")
    old.kill()
    net.wait("another one leads blue", lambda: net.agreed(of(net, "blue")))
    old.start()
    net.wait("it is back", lambda: net.agreed(of(net, "blue")))
    others_slept(net, "blue", mark)


def reloaded(net):
    """The first of them; and the file of one is no other's."""
    mark, host = net.mark(), leader_of(net, "default")
    host.write_config("priority = 150;")
    changed = host.call("io.electd.Reload")["changed"]
    if changed != ["priority"]:
        raise Failed("changed: %s" % changed)
    for other in net.hosts:
        priority = other.call("io.electd.GetStatus")["node"]["priority"]
        if priority != (150 if other is host else 100):
            raise Failed("%s has priority %d" % (other.name, priority))
    others_slept(net, "default", mark)


def sick(net):
    """A host is sick for one election: what it needs to lead another is there."""
    mark, old = net.mark(), leader_of(net, "red")
    for _ in range(2):
        if old.electctl("sick", "disk", "broken").returncode:
            raise Failed("it does not take it")
    net.wait("another one leads red", lambda: leader_of(net, "red") not in (None, old) and
             net.agreed(of(net, "red")))
    if old.electctl("check").returncode == 0:
        raise Failed("its check is fine")
    others_slept(net, "red", mark)
    for domain in DOMAINS:
        for host in of(net, domain):
            if host is not old and host.electctl("check").returncode:
                raise Failed("%s: %s" % (host.name, host.electctl("check").stdout))
    old.electctl("forget", "disk")
    settle(net)
    # The list says later, by the way, that nothing keeps that host from leading any more.
    lan.until("a rest", lambda: rested(net))


def stopped(net):
    mark, old = net.mark(), leader_of(net, "default")
    old.stop()
    net.wait("another one leads", lambda: net.agreed(of(net, "default")))
    others_slept(net, "default", mark)
    old.start()
    settle(net)


def same_domain(net):
    """By mistake: both say so, and that it is this host, not another one."""
    red = next(h for h in net.hosts if h.name == "host1-red")
    blue = next(h for h in net.hosts if h.name == "host1-blue")
    blue.stop()
    blue.write_config('domain = "red";')
    blue.start()
    words = "another electd of this host is in the same domain: neither may lead"
    lan.until("both say it", lambda: all(h.view and any(
        words in problem for problem in h.call("io.electd.GetStatus")["health"]["problems"])
        for h in (red, blue)))
    done = red.electctl("check")
    if not done.returncode or words not in done.stdout + done.stderr:
        raise Failed("electctl check: %s" % done)
    blue.stop()
    blue.write_config()


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS * len(DOMAINS), kind=Instance) as net:
        net.start()
        result.attempt("three elections on three hosts", settle, net)
        result.attempt("each has what is its own", apart, net)
        result.attempt("datagrams of another domain are counted", counted, net)
        result.attempt("the leader of one resigns", resigned, net)
        result.attempt("the leader of one is killed", killed, net)
        result.attempt("one is configured otherwise", reloaded, net)
        result.attempt("a host is sick for one", sick, net)
        result.attempt("one is stopped", stopped, net)
        result.attempt("two are in one domain by mistake", same_domain, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
