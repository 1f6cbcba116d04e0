#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/floating-address, as printed: the leader has the addresses, and a client reaches it
there; and the way from the script that the example was before.

Three booted hosts, and a client that knows the old leader's hardware address. NetworkManager sets
the own addresses of the third host, systemd-networkd those of the others."""
import json
import os
import re
import subprocess

import guide
import hosts
from hosts import Failed, until
import report

ADDRESSES = "192.0.2.100", "2001:db8::100"
CLIENT = 4
MANAGED = 3         # the host with NetworkManager
TIMES = 10          # that another program removes the addresses
RESTORED = 0.5      # seconds until they are back
LEASE_MOST = 2.1    # seconds from the last refresh to the removal by the kernel
SCRIPT = hosts.HOOKS + "/10-address"

NETWORK = """[Match]
Name=eth0
[Network]
Address=192.0.2.%d/24
Address=2001:db8::%d/64
"""
CONNECTION = """[connection]
id=lan
type=ethernet
interface-name=eth0
[ipv4]
method=manual
address1=192.0.2.%d/24
[ipv6]
method=manual
address1=2001:db8::%d/64
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

    def changes(self, address):
        """Returns [(time, host, has it)] until now, in order."""
        found = []
        for host, (output, _) in self.processes.items():
            for match in self.LINE.finditer(hosts.read(output.name)):
                if match[6] == address:
                    at = int(match[2]) * 3600 + int(match[3]) * 60 + float(match[4])
                    found.append((at, host.name, not match[5]))
        return sorted(found)

    def removals(self):
        """How often each address was removed."""
        return [sum(not has_it for _, _, has_it in self.changes(a)) for a in ADDRESSES]

    def end(self):
        for output, process in self.processes.values():
            process.terminate()
            process.wait()
            output.close()


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

    def leads(self, others=None, after=None):
        """Waits until one of these hosts leads, but not `after`, and only that host has the
        addresses."""
        group = others or self.members

        def so():
            leader = self.lan.leader(group)
            return leader if leader not in (None, after) and self.holders() == [leader] and len(
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
    """Before the first boot: systemd-networkd or NetworkManager sets the addresses of eth0."""
    for host in lan.hosts:
        own = re.sub("ExecStart=ip address .*\n", "", hosts.MANUAL_LAN % host.number).replace(
            "Before=", "Before=systemd-networkd.service NetworkManager.service ")
        host.write("/etc/systemd/system/lan.service", own)
        numbers = (host.number,) * 2
        if host.number == MANAGED:
            host.write("/etc/NetworkManager/system-connections/lan.nmconnection",
                       CONNECTION % numbers, 0o600)
        else:
            host.write("/etc/systemd/network/10-eth0.network", NETWORK % numbers)
        hosts.run("systemctl", "--root", host.root, "-q", "enable",
                  "NetworkManager" if host.number == MANAGED else "systemd-networkd")


def installed(net):
    for host in net.members:
        net.page.type(host, "install -D -m 644 floating")
    old = net.leads()
    net.page.type(old, "electctl resign")
    leader = net.leads(after=old)
    net.reached(leader)
    shown = net.page.type(leader, "ip address", check=False).stdout
    if any(address not in shown for address in ADDRESSES):
        raise Failed(shown)
    return "from %s to %s" % (old.name, leader.name)


def from_the_script(net):
    """The hosts have the script, and change host by host: no two have an address at any time, and
    each move is one hand-over."""
    net.lan.start(net.members)
    for host in net.members:
        hosts.run("install", "-D", "-m", "755", host.inside(script_of(host)), host.inside(SCRIPT))
    guide.move(net.lan, net.members)
    old = net.leads()
    watch = Watch(net.members)
    for host in net.others(old):
        net.page.type(host, "rm")
    net.page.type(old, "electctl --timeout")
    new = net.leads(after=old)
    net.page.type(old, "rm")
    judge(watch, old, new)
    old.systemctl("restart", "electd")    # else it does not lead for half a minute
    if any(host.sh("test ! -e " + SCRIPT, check=False).returncode for host in net.members):
        raise Failed("a script is left")


def script_of(host):
    return next(path for path in (folder + "floating-address/10-address" for folder in guide.FOLDERS)
                if os.path.exists(host.inside(path)))


def leading(net, host):
    """This host leads, and has the addresses."""
    for other in net.others(host):
        other.electctl("hold", "on")
    leader = net.leads()
    for other in net.others(host):
        other.electctl("hold", "off")
    if leader is not host:
        raise Failed("%s leads" % leader.name)


def gaps(changes):
    """How long each removal lasted, in order."""
    removed, found = None, []
    for at, _, has_it in changes:
        if not has_it:
            removed = at
        elif removed is not None:
            found.append(at - removed)
            removed = None
    return found


def restored(host):
    """How often each address was restored."""
    rows = json.loads(host.electctl("--json", "address", check=False).stdout)["addresses"]
    return [row["restored"] for row in rows]


def removed(net, host, *command):
    """The command removes the addresses of the leader, and they are back at once."""
    leading(net, host)
    token, before = host.ask()["token"], restored(host)
    watch = Watch([host])
    for number in range(1, TIMES + 1):
        host.run(*command)
        until("they are removed", lambda: min(watch.removals()) >= number)
        if net.leads() is not host:
            raise Failed("leadership has moved")
    watch.end()
    found = [gaps(watch.changes(a)) for a in ADDRESSES]
    most = max(map(max, found))
    if most > RESTORED:
        raise Failed("%.3f s without an address" % most)
    counted = [after - b for after, b in zip(restored(host), before)]
    if host.ask()["token"] != token or counted != [len(some) for some in found]:
        raise Failed("token %s; reported: %s of %s" % (token, counted, found))
    return "%d times, at most %.3f s without an address" % (TIMES, most)


def networkd(net):
    return removed(net, net.members[0], "networkctl", "reconfigure", "eth0")


def network_manager(net):
    return removed(net, net.members[MANAGED - 1], "nmcli", "connection", "up", "lan")


def networkd_keeps(net):
    """systemd-networkd keeps the addresses if it is configured to."""
    host = net.members[0]
    net.page.type(host, "install -D -m 644 keep.conf")
    leading(net, host)
    watch = Watch([host])
    host.run("networkctl", "reconfigure", "eth0")
    until("eth0 is configured", lambda: "(configured)" in host.run(
        "networkctl", "status", "eth0").stdout)
    host.systemctl("restart", "systemd-networkd")
    watch.end()
    if net.leads() is not host or any(watch.removals()):
        raise Failed("an address was removed for a moment")


def moved(net):
    """A client that sends nothing learns of the move."""
    for _ in range(2):
        net.reached(net.leads())
        guide.move(net.lan, net.members)
        net.announced(net.leads())


def carrier(host, on):
    """Switches the carrier of the host's interface, at the other end."""
    hosts.run("ip", "link", "set", "vb-" + host.name, "up" if on else "down")


def switch(host, on):
    """Plugs or unplugs its port of the bridge; its interface keeps the carrier."""
    host.plug(on)


def judge(watch, old, new):
    """Each address has gone from one host before another one has it, and ends at the new leader."""
    watch.end()
    for address in ADDRESSES:
        holder = old.name
        for _, name, has_it in watch.changes(address):
            if has_it and holder not in (None, name):
                raise Failed("%s has %s, and %s takes it" % (holder, address, name))
            holder = name if has_it else None
        if holder != new.name:
            raise Failed("%s has %s" % (holder, address))


def taken_over(net, part):
    """The old leader is cut off, and has removed the addresses when the next leader adds them."""
    old = net.leads()
    net.reached(old)
    watch = Watch(net.members)
    part(old, False)
    new = net.leads(net.others(old))
    net.announced(new)
    judge(watch, old, new)
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


def killed(net):
    """electd-address is killed: it runs again, and this host still leads and has the addresses."""
    leader = net.leads()
    pid, token = leader.main_pid("electd-address"), leader.ask()["token"]
    leader.kill("electd-address")
    until("it runs again", lambda: leader.main_pid("electd-address") not in (None, pid))
    if net.leads() is not leader or leader.ask()["token"] != token:
        raise Failed("leadership has moved")


def power_cut(net):
    """After a power cut no address is left."""
    leader = net.leads()
    leader.cut_power()
    net.leads(net.others(leader))
    leader.boot().booted()
    if any(has(leader, address) for address in ADDRESSES):
        raise Failed("an address after a reboot")
    net.leads()


def rebooted(net):
    """No two hosts have an address while the leader ends, and it has none when it has booted."""
    old = net.leads()
    watch = Watch(net.members)
    old.reboot()
    new = net.leads(net.others(old))
    old.booted()
    if any(has(old, address) for address in ADDRESSES):
        raise Failed("an address after a reboot")
    net.leads()
    judge(watch, old, new)


def frozen(net):
    """All daemons of the leader are frozen: its kernel removes the addresses."""
    old = net.leads()
    watch = Watch([old])
    at = hosts.now()
    old.systemctl("kill", "-s", "STOP", "electd", "electd-address")
    try:
        until("the addresses are removed", lambda: min(watch.removals()))
        gone = hosts.now() - at
        net.leads(net.others(old))
    finally:
        old.systemctl("kill", "-s", "CONT", "electd", "electd-address")
    watch.end()
    net.leads()
    if gone > LEASE_MOST:
        raise Failed("removed after %.2f s" % gone)
    return "removed after %.2f s" % gone


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
        for test in (from_the_script, installed, moved, cut_off, cable_pulled, power_cut, rebooted,
                     frozen, network_manager, networkd, networkd_keeps, own_addresses, killed):
            result.attempt(test.__name__.replace("_", " "), test, net)
        result.attempt("every block is typed", net.page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
