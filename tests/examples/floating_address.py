#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/floating-address, as printed: the leader has the addresses, and a client reaches it
there.

Three booted hosts whose own addresses are set by systemd-networkd, and a client that knows the old
leader's hardware address."""
import os
import re
import signal
import subprocess
import time

import guide
import hosts
from hosts import Failed, until
import report

NETWORKD = 1    # seconds: there is no event for an address that systemd-networkd keeps
ADDRESSES = "192.0.2.100", "2001:db8::100"
CLIENT = 4

NETWORK = """[Match]
Name=eth0
[Network]
Address=192.0.2.%d/24
Address=2001:db8::%d/64
"""


def ip(host, *words):
    return hosts.run("nsenter", "-t", str(host.leader), "-n", "ip", "-o", *words).stdout


def has(host, address, *state):
    return bool(ip(host, "address", "show", "to", address, *state))


class Watch:
    """When each host had an address, by the reports of its kernel, on one clock."""

    LINE = re.compile(r"\[(\S+)T(\d+):(\d+):([\d.]+)\] (Deleted )?\d+: \S+ +inet6? ([^/]+)/")

    def __init__(self, some):
        self.processes = {}
        for host in some:
            output = open(host.dir + "/addresses", "w+")  # pylint: disable=consider-using-with
            self.processes[host] = output, subprocess.Popen(
                ["nsenter", "-t", str(host.leader), "-n", "ip", "-o", "-ts", "monitor", "address"],
                stdout=output, stdin=subprocess.DEVNULL)

    def ended(self, address):
        """Ends the watch. Returns [(time, host, has it)], in order."""
        changes = []
        for host, (output, process) in self.processes.items():
            process.terminate()
            process.wait()
            output.seek(0)
            for match in self.LINE.finditer(output.read()):
                if match[6] == address:
                    at = int(match[2]) * 3600 + int(match[3]) * 60 + float(match[4])
                    changes.append((at, host.name, not match[5]))
        return sorted(changes)


class Net:
    """Hosts 1 to 3 run electd; host 4 is the client."""

    def __init__(self, lan):
        self.lan = lan
        self.client = lan.hosts[CLIENT - 1]
        self.members = lan.hosts[:CLIENT - 1]
        self.page = guide.Guide("floating-address")

    def holders(self):
        """The host that has all addresses, ready for use, if no other host has any."""
        some = [h for h in self.members if h.nspawn and any(has(h, a) for a in ADDRESSES)]
        return [h for h in some if all(has(h, a) and not has(h, a, "tentative")
                                       for a in ADDRESSES)] if len(some) == 1 else []

    def leads(self, others=None):
        """Waits until one of these hosts leads, and only that host has the addresses."""
        group = others or self.members

        def so():
            leader = self.lan.leader(group)
            return leader if leader and self.holders() == [leader] and len(
                leader.ask()["members"]) == len(group) else None
        return until("one leader, which has the addresses", so)

    def known(self, address):
        match = re.search(r"lladdr (\S+)", ip(self.client, "neigh", "show", address))
        return match and match[1]

    def reached(self, leader):
        for address in ADDRESSES:
            self.client.run("ping", "-q", "-c", "1", "-W", "1", address)
            if self.known(address) != hardware(leader):
                raise Failed("%s is not reached at %s" % (leader.name, address))

    def announced(self, leader):
        """The client's cache is right although the client has sent nothing."""
        until("%s is announced" % leader.name, lambda: all(
            self.known(a) == hardware(leader) for a in ADDRESSES))
        self.reached(leader)

    def others(self, *some):
        return [h for h in self.members if h not in some]


def hardware(host):
    return re.search(r"link/ether (\S+)", ip(host, "link", "show", "eth0"))[1]


def prepare(lan):
    """Before the first boot: systemd-networkd sets the addresses of eth0."""
    for host in lan.hosts:
        own = re.sub("ExecStart=ip address .*\n", "", hosts.MANUAL_LAN % host.number).replace(
            "Before=", "Before=systemd-networkd.service ")
        host.write("/etc/systemd/system/lan.service", own)
        host.write("/etc/systemd/network/10-eth0.network", NETWORK % ((host.number,) * 2))
        hosts.run("systemctl", "--root", host.root, "-q", "enable", "systemd-networkd")


def installed(net):
    net.lan.start(net.members)
    for host in net.members:
        net.page.type(host, "install -D -m 644 floating")
    old = net.lan.settle(net.members)
    net.page.type(old, "electctl resign")
    leader = net.leads()
    net.reached(leader)
    shown = net.page.type(leader, "ip address", check=False).stdout
    if any(word not in shown for word in (*ADDRESSES, "another quorum")):
        raise Failed(shown)
    return "from %s to %s" % (old.name, leader.name)


def reconfigure(host):
    """Reconfigures eth0, as an upgrade of systemd or an administrator does."""
    host.run("networkctl", "reconfigure", "eth0")
    until("eth0 is configured", lambda: "(configured)" in host.run(
        "networkctl", "status", "eth0").stdout)
    time.sleep(NETWORKD)


def networkd(net):
    """systemd-networkd removes addresses that are not its own, until it is configured otherwise."""
    leader = net.leads()
    reconfigure(leader)
    until("it takes the addresses", lambda: not any(has(leader, a) for a in ADDRESSES))
    for host in net.members:
        net.page.type(host, "install -D -m 644 keep.conf")
    guide.move(net.lan, net.members)
    leader = net.leads()
    watch = Watch([leader])
    reconfigure(leader)
    if not all(has(leader, a) for a in ADDRESSES):
        raise Failed("networkctl reconfigure has taken it: %s" % ip(leader, "address", "show"))
    leader.systemctl("restart", "systemd-networkd")
    if net.leads() is not leader or [
            c for a in ADDRESSES for c in watch.ended(a) if not c[2]]:
        raise Failed("an address was taken for a moment")


def moved(net):
    """A client that sends nothing learns of the move, by arping or by the kernel."""
    for with_arping in True, False:
        old = net.leads()
        net.reached(old)
        for host in net.members:
            host.run("chmod", "+x" if with_arping else "-x", "/usr/bin/arping")
        new = guide.move(net.lan, net.members)
        net.leads()
        net.announced(new)
    for host in net.members:
        host.run("chmod", "+x", "/usr/bin/arping")


def carrier(host, on):
    """Switches the carrier of the host's interface, at the other end."""
    hosts.run("ip", "link", "set", "vb-" + host.name, "up" if on else "down")


def switch(host, on):
    """Plugs or unplugs its port of the bridge; its interface keeps the carrier."""
    host.plug(on)


def taken_over(net, part):
    """The old leader is cut off, and has removed the addresses when the next leader adds them."""
    old = net.leads()
    net.reached(old)
    watch = Watch(net.members)
    part(old, False)
    new = net.leads(net.others(old))
    net.announced(new)
    for address in ADDRESSES:
        holder = old.name
        for _, name, has_it in watch.ended(address):
            if has_it and holder not in (None, name):
                raise Failed("%s has %s, and %s takes it" % (holder, address, name))
            holder = name if has_it else None
        if holder != new.name:
            raise Failed("%s has %s" % (holder, address))
    return old


def cut_off(net):
    """The switch fails: the host keeps its carrier, so nothing reports the fault."""
    switch(taken_over(net, switch), True)
    net.leads()


def cable_pulled(net):
    """systemd-networkd removes all addresses, and electd is killed before the carrier is back."""
    old = taken_over(net, carrier)
    old.kill("electd")
    carrier(old, True)
    net.leads()
    until("%s has its own addresses" % old.name, lambda: has(old, "192.0.2.%d" % old.number) and
          has(old, "2001:db8::%d" % old.number))


def killed_half_way(net):
    """The script of a new leader is killed: the host does not lead any more, and has no address."""
    old = net.leads()
    watch = Watch(net.members)
    old.electctl("hold", "on")

    def script():
        for host in net.others(old):
            with open("/proc/%d/task/%d/children" % ((host.main_pid("electd-hookd"),) * 2)) as f:
                if has(host, ADDRESSES[1], "tentative"):
                    return host, [int(pid) for pid in f.read().split()]
        return None
    victim, pids = until("a script runs", script, pause=0.005)
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    old.electctl("hold", "off")
    new = net.leads()
    if new is victim or not [c for c in watch.ended(ADDRESSES[1]) if c[1] == victim.name]:
        raise Failed("%s leads, after %s" % (new.name, victim.name))
    return "%s, then %s" % (victim.name, new.name)


def again_and_again(net):
    """A second promotion, as after a merge, announces again. A demotion without a promotion does no
    harm, and after a power cut there is none."""
    leader = net.leads()
    for address in ADDRESSES:
        ip(net.client, "neigh", "replace", address, "lladdr", "02:00:00:00:00:99", "dev", "eth0",
           "nud", "stale")
    leader.run(hosts.HOOKS + "/10-address", "leader", "default")
    net.announced(leader)
    follower = net.others(leader)[0]
    for event in "follower", "none", "stop":
        follower.run(hosts.HOOKS + "/10-address", event, "default")
    leader.cut_power()
    net.leads(net.others(leader))
    leader.boot().booted()
    if any(has(leader, address) for address in ADDRESSES):
        raise Failed("an address after a reboot")
    net.leads()


def own_addresses(net):
    for host in net.members:
        told = {m["address"] for m in host.ask()["members"]}
        if told != {"192.0.2.%d" % h.number for h in net.members}:
            raise Failed("%s: %s" % (host.name, told))


def main():
    guide.setup()
    result = report.Report()
    with guide.lan(CLIENT) as lan:
        prepare(lan)
        net = Net(lan)
        for test in (installed, moved, cut_off, cable_pulled, again_and_again, networkd, own_addresses,
                     killed_half_way):
            result.attempt(test.__name__.replace("_", " "), test, net)
        result.attempt("every block is typed", net.page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
