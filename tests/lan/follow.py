#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interfaces, addresses and routes that change while electd runs: followed, and nothing else.

follow.py [SECONDS [ipv6]]: for so long in all (60) a router advertises every 3 s, and what a DHCP
client leases is renewed each second, on three hosts, of IPv6 alone if that is said; meanwhile
everything else is changed at the coordinator and at a member. Nobody says anything, no list has
another version, unless the carrier was gone; then it is one group again without a restart.
"""
import os
import re
import signal
import subprocess
import sys
import threading
import time

import lan
import report
from carrier import cable
from lan import Failed, now, run

PREFIX = "2001:db8:77::/64"
RA_EVERY = 3
GATEWAY = "10.77.0.254"
# Who falls silent is dropped after eight beacons and some questions.
DROPPED_AFTER = 2.2
# Of one core, while so many pairs of interfaces come and go each second; and while leases are renewed.
PAIRS = 50
FLOOD_SHARE = 0.20
IDLE_SHARE = 0.02


def ip(host, *commands):
    """In the host, all at once: between two of them no program is started."""
    done = subprocess.run(["ip", "-n", host.name, "-batch", "-"], input="\n".join(commands) + "\n",
                          text=True, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise Failed("%s: %s: %s" % (host.name, "; ".join(commands), done.stderr.strip()))


def sysctl(host, name, value):
    """What a namespace has of its own."""
    run("nsenter", "--net=/run/netns/" + host.name, "sh", "-c",
        'echo "$1" >/proc/sys/net/$2', "sh", str(value), name)


class Leases(threading.Thread):
    """A DHCP client on each host: renews each second, and its default route."""

    def __init__(self, hosts):
        super().__init__(daemon=True)
        self.lock = threading.RLock()
        self.at = {host: (host.address, "eth0") for host in hosts}
        self.done = threading.Event()
        self.failed = ""

    def words(self, host):
        address, interface = self.at[host]
        return ("addr replace %s/24 dev %s valid_lft 60 preferred_lft 30" % (address, interface),
                "route replace default via %s dev %s" % (GATEWAY, interface))

    def run(self):
        while not self.done.wait(1):
            for host in list(self.at):
                with self.lock:
                    self.renew(host)

    def renew(self, host):
        try:
            if host in self.at:
                ip(host, *self.words(host))
        except Failed as error:
            self.failed = str(error)

    def change(self, host, before, address=None, interface=None, after=()):
        """What is done to the host, and which lease it has from then on, as one."""
        with self.lock:
            old_address, old_interface = self.at[host]
            self.at[host] = address or old_address, interface or old_interface
            ip(host, *before, *self.words(host), *after)

    def close(self):
        self.done.set()
        self.join()


class Router:
    """A namespace on the LAN that advertises a prefix, and answers as the default gateway."""

    def __init__(self, net):
        self.net = net
        run("ip", "netns", "add", "router")
        run("ip", "link", "add", "portr", "type", "veth", "peer", "name", "eth0", "netns", "router")
        run("ip", "-n", "router", "addr", "add", GATEWAY + "/24", "dev", "eth0")
        run("ip", "-n", "router", "link", "set", "eth0", "up")
        run("ip", "link", "set", "portr", "master", net.bridge(0), "up")
        self.process = subprocess.Popen(
            ["nsenter", "--net=/run/netns/router", sys.executable, "-B",
             os.path.join(os.path.dirname(os.path.abspath(__file__)), "router.py"),
             "eth0", PREFIX, str(RA_EVERY)], stdin=subprocess.PIPE)

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)
        run("ip", "link", "del", "portr")
        run("ip", "netns", "del", "router")


def advertised(host):
    """The host has what the router advertises: (address, seconds it is valid)."""
    text = run("ip", "-n", host.name, "-6", "-o", "addr", "show", "scope", "global",
               "-tentative").stdout
    for line in text.splitlines():
        words = line.split()
        if words[3].startswith(PREFIX.split("::")[0]) and "valid_lft" in words:
            return words[3], int(words[words.index("valid_lft") + 1].rstrip("sec"))
    return None


def wait_for(what, condition, timeout=lan.PATIENCE):
    """Of what no host says; looked for often."""
    end = now() + timeout
    while not condition():
        if now() > end:
            raise Failed("not within %.0f s: %s" % (timeout, what))
        time.sleep(0.05)


def uses(host, family=4):
    """"eth0 10.77.0.1": what electd said last that it uses of IPv4, or of IPv6."""
    said = re.findall(r" uses (\S+), address ([0-9a-f.:]+)[,:] ", host.log())
    return "%s %s" % [path for path in said if (":" in path[1]) == (family == 6)][-1]


class Scene:
    """The LAN, and what is done to its coordinator and to a member of it."""

    def __init__(self, net, leases):
        self.net, self.leases = net, leases

    def both(self):
        leader, others = self.net.leader_and_others()
        return leader, others[-1]

    def nothing(self, *steps):
        """Each step at the coordinator and at a member; nobody says anything until who fell silent
        by the last of them would have been dropped."""
        leader, member = self.both()
        mark = self.net.mark()
        for at, step in enumerate(steps, 1):
            for host in leader, member:
                step(host)
            time.sleep(DROPPED_AFTER if at == len(steps) else DROPPED_AFTER / 3)
            said = self.net.since(mark)
            if said:
                raise Failed("%s at %s: %d changes, the first: %s" % (
                    step.__name__, [leader.name, member.name], len(said),
                    lan.describe(said[0])))

    def carrier_gone(self, away, back):
        """At a member nobody else leads; at the coordinator somebody else may."""
        leader, member = self.both()
        mark = self.net.mark()
        away(member)
        time.sleep(0.3)
        back(member)
        self.net.settle()
        time.sleep(1)
        self.net.settle()
        if self.net.leaders_since(mark) not in ([], [(leader.name, leader.view["token"])]):
            raise Failed("at a member: leaders were %s" % self.net.leaders_since(mark))
        away(leader)
        self.net.wait("%s does not lead" % leader.name, lambda: leader.view["role"] != "leader")
        back(leader)
        at = now()
        self.net.settle()
        return "one group %.1f s after it is back" % (now() - at)


# ---- what is done ----------------------------------------------------------------------------------

def mtu_smaller(host):
    ip(host, "link set eth0 mtu 1400")


def mtu_as_before(host):
    ip(host, "link set eth0 mtu 1500")


def promiscuous(host):
    ip(host, "link set eth0 promisc on")


def not_promiscuous(host):
    ip(host, "link set eth0 promisc off")


def more_addresses(host):
    ip(host, "addr add 10.77.0.%d/24 dev eth0" % (host.number + 100),
       "addr add 10.77.0.%d/32 dev eth0" % (host.number + 110),
       "addr add 192.0.2.%d/24 dev eth0" % host.number)


def fewer_addresses(host):
    ip(host, "addr del 10.77.0.%d/24 dev eth0" % (host.number + 100),
       "addr del 10.77.0.%d/32 dev eth0" % (host.number + 110),
       "addr del 192.0.2.%d/24 dev eth0" % host.number)


def other_over_it(host):
    """Which is not used."""
    ip(host, "link add link eth0 name mv0 type macvlan mode bridge", "link set mv0 up",
       "addr add 198.51.100.%d/24 dev mv0" % host.number)


def nothing_over_it(host):
    ip(host, "link del mv0")


def no_ipv6(host):
    sysctl(host, "ipv6/conf/eth0/disable_ipv6", 1)


def ipv6_again(host):
    sysctl(host, "ipv6/conf/eth0/disable_ipv6", 0)


def check_uses(host, words):
    wait_for("%s uses %s" % (host.name, words), lambda: uses(host) == words)


def restored(scene, host):
    """After an attempt that failed, so that the next ones do not."""
    words = ["link del br0", "link del inner", "link del mv0", "link set wan0 down",
             "link set wan0 name eth0", "addr flush dev eth0", "link set eth0 nomaster",
             "link set eth0 up"]
    with scene.leases.lock:
        if run("ip", "-n", host.name, "link", "show", "wan0", check=False).returncode and \
                run("ip", "-n", host.name, "link", "show", "eth0", check=False).returncode:
            plugged_in(scene, host)
        subprocess.run(["ip", "-n", host.name, "-force", "-batch", "-"], text=True, check=False,
                       input="\n".join(words) + "\n", stderr=subprocess.DEVNULL)
        no_ipv6(host)
        ipv6_again(host)
        scene.leases.at[host] = host.address, "eth0"
        scene.leases.renew(host)


def plugged_in(scene, host, *more):
    run("ip", "link", "add", host.port, "type", "veth", "peer", "name", "eth0", "netns", host.name,
        *more)
    run("ip", "link", "set", host.port, "master", scene.net.bridge(0), "up")


# ---- the attempts -----------------------------------------------------------------------------------

def renewed(scene, seconds):
    """Nothing is said, written or counted for what only renews, and it costs nothing."""
    net = scene.net
    net.settle()
    for host in net.hosts:
        wait_for("%s has an advertised address" % host.name, lambda: advertised(host))
    logs = [host.log() for host in net.hosts]
    used = [report.cpu_seconds(host.process.pid) for host in net.hosts]
    begin = now()
    net.quiet(seconds)
    took = now() - begin
    shares = [(report.cpu_seconds(host.process.pid) - before) / took
              for host, before in zip(net.hosts, used)]
    for host, log in zip(net.hosts, logs):
        if host.log() != log:
            raise Failed("%s says %s" % (host.name, host.log()[len(log):]))
        if not advertised(host) or advertised(host)[1] < 120 - 3 * RA_EVERY - 20:
            raise Failed("%s was not advertised to: %s" % (host.name, advertised(host)))
    if scene.leases.failed:
        raise Failed(scene.leases.failed)
    words = "%.0f s, at most %.2f %% of a core" % (took, max(shares) * 100)
    if max(shares) > IDLE_SHARE:
        raise Failed(words)
    return words


def another_lease(scene, how):
    """The next datagram has the new address; how: the order in which a client does it."""
    leases = scene.leases

    def moved_to(offset):
        def another_address(host):
            old = leases.at[host][0]
            new = "10.77.0.%d" % (host.number + offset)
            away = "addr del %s/24 dev eth0" % old
            if how == "new one first":
                leases.change(host, (), address=new)
                time.sleep(0.1)
                ip(host, away)
                leases.renew(host)
            else:
                leases.change(host, (away,), address=new)
            check_uses(host, "eth0 " + new)
        return another_address

    leader, member = scene.both()
    scene.nothing(moved_to(50), moved_to(0))
    seen = next(m for m in leader.view["members"] if m["name"] == member.name)
    if member.address not in str(seen):
        raise Failed("the coordinator says %s" % seen)


def renamed(scene):
    """While it is up, which Linux 6.2 and later let one do."""
    def to(old, new):
        def another_name(host):
            scene.leases.change(host, ("link set %s name %s" % (old, new),), interface=new)
            check_uses(host, "%s %s" % (new, host.address))
        return another_name

    scene.nothing(to("eth0", "wan0"), to("wan0", "eth0"))


def renamed_while_down(scene):
    def away(host):
        with scene.leases.lock:
            ip(host, "link set eth0 down", "link set eth0 name wan0")
            del scene.leases.at[host]

    def back(host):
        with scene.leases.lock:
            scene.leases.at[host] = host.address, "wan0"
            scene.leases.change(host, ("link set wan0 up",))

    words = scene.carrier_gone(away, back)
    hosts = [host for host in scene.net.hosts if scene.leases.at[host][1] == "wan0"]
    for host in hosts:
        check_uses(host, "wan0 " + host.address)
        scene.leases.change(host, ("link set wan0 down", "link set wan0 name eth0",
                                   "link set eth0 up"), interface="eth0")
    scene.net.settle()
    return words


def down_and_up(scene):
    def away(host):
        with scene.leases.lock:
            ip(host, "link set eth0 down")
            del scene.leases.at[host]

    def back(host):
        with scene.leases.lock:
            scene.leases.at[host] = host.address, "eth0"
            scene.leases.change(host, ("link set eth0 up",))

    return scene.carrier_gone(away, back)


def network_restarted(scene):
    """As `systemctl restart networking` does it: the carrier stays, and all else goes."""
    def away(host):
        with scene.leases.lock:
            del scene.leases.at[host]
            ip(host, "addr flush dev eth0", "route flush dev eth0")

    def back(host):
        with scene.leases.lock:
            scene.leases.at[host] = host.address, "eth0"
            scene.leases.renew(host)

    return scene.carrier_gone(away, back)


def made_again(scene, index):
    """index: that of before, or whichever is next."""
    def away(host):
        with scene.leases.lock:
            del scene.leases.at[host]
            text = run("ip", "-n", host.name, "-o", "link", "show", "eth0").stdout
            host.index = text.split(":", maxsplit=1)[0]
            ip(host, "link del eth0")

    def back(host):
        with scene.leases.lock:
            plugged_in(scene, host, *(("index", host.index) if index == "same" else ()))
            scene.leases.at[host] = host.address, "eth0"
            scene.leases.change(host, ("link set eth0 up",))

    return scene.carrier_gone(away, back)


def made_again_at_once(scene):
    """Before electd has looked, so that it sees no change: it is in the group all the same."""
    leader, member = scene.both()
    index = run("ip", "-n", member.name, "-o", "link", "show", "eth0").stdout.split(":")[0]
    with scene.leases.lock:
        member.process.send_signal(signal.SIGSTOP)
        try:
            run("ip", "link", "del", member.port)
            plugged_in(scene, member, "index", index)
            scene.leases.change(member, ("link set eth0 up",))
        finally:
            member.process.send_signal(signal.SIGCONT)
    wait_for("%s is in the multicast group" % member.name, lambda: in_group(member))
    time.sleep(DROPPED_AFTER)
    scene.net.settle()
    if scene.net.leader() is not leader:
        raise Failed("%s leads" % scene.net.leader().name)


def in_group(host):
    return "224.0.0.254" in run("ip", "-n", host.name, "maddr", "show", "dev", "eth0").stdout


def bridge_over_it(scene):
    """The bridge stands already, with a carrier."""
    def onto(host):
        ip(host, "link add br0 type bridge", "link set br0 up",
           "link add inner type veth peer name outer", "link set inner up",
           "link set outer up master br0")

    def over(host):
        scene.leases.change(host, ("link set eth0 master br0", "addr flush dev eth0"),
                            interface="br0")
        announced(scene.net)    # br0 has the hardware address of any of its ports

    def off(host):
        scene.leases.change(host, ("addr flush dev br0", "link set eth0 nomaster"),
                            interface="eth0", after=("link del inner", "link del br0"))
        announced(scene.net)

    return put_over(scene, onto, over, off, "br0")


def macvlan_over_it(scene):
    def onto(host):
        ip(host, "link add link eth0 name mv0 type macvlan mode bridge", "link set mv0 up")
        sysctl(host, "ipv4/conf/all/arp_ignore", 1)   # or eth0 answers for an address of mv0

    def over(host):
        scene.leases.change(host, ("addr flush dev eth0",), interface="mv0")
        announced(scene.net)

    def off(host):
        scene.leases.change(host, ("addr flush dev mv0",), interface="eth0",
                            after=("link del mv0",))
        announced(scene.net)

    return put_over(scene, onto, over, off, "mv0")


def announced(net):
    """As a client of DHCP does it, or the others would send to the former hardware address."""
    for host in net.hosts:
        ip(host, "neigh flush all")


def put_over(scene, onto, over, off, name):
    def address_moved(host):
        over(host)
        check_uses(host, "%s %s" % (name, host.address))

    def address_back(host):
        off(host)
        check_uses(host, "eth0 " + host.address)

    for host in scene.both():
        onto(host)
    time.sleep(1)   # the kernel is slow to say that it has a carrier
    scene.nothing(address_moved, address_back)


def ipv6_gone(scene):
    """At run time, by sysctl: its addresses come back, and are detected for duplicates first."""
    return scene.carrier_gone(no_ipv6, ipv6_again)


def mtu_too_small(scene):
    """For IPv6, whose groups the kernel forgets with it."""
    return scene.carrier_gone(lambda host: ip(host, "link set eth0 mtu 1200"), mtu_as_before)


def another_link_local(scene):
    def moved_to(new, old):
        def another_address(host):
            ip(host, "addr add fe80::%s:%d/64 dev eth0 nodad" % (new, host.number),
               *(("addr del fe80::%s:%d/64 dev eth0" % (old, host.number),) if old else ()))
            if not old:
                ip(host, "addr del %s dev eth0" % made_by_kernel(host))
            wait_for("it is used", lambda: "fe80::%s:%d" % (new, host.number) in uses(host, 6))
        return another_address

    scene.nothing(moved_to("a", None), moved_to("b", "a"))


def made_by_kernel(host):
    text = run("ip", "-n", host.name, "-6", "-o", "addr", "show", "dev", "eth0", "scope",
               "link").stdout
    return next(line.split()[3] for line in text.splitlines() if "ff:fe" in line)


def flood(scene, seconds):
    """As containers that come and go: links are looked at no more often for that, and a carrier
    that is lost meanwhile is seen."""
    net = scene.net
    hosts = scene.both()
    begin, mark, rounds = now(), net.mark(), 0
    used = [report.cpu_seconds(host.process.pid) for host in hosts]
    while now() < begin + seconds:
        for host in hosts:
            ip(host, *("link add v%d group 7 type veth peer name c%d" % (i, i)
                       for i in range(PAIRS)), "link del group 7")
        rounds += 1
        time.sleep(max(0, begin + rounds - now()))
    took = now() - begin
    shares = [(report.cpu_seconds(host.process.pid) - before) / took
              for host, before in zip(hosts, used)]
    if net.since(mark):
        raise Failed("%d changes, the first: %s" % (
            len(net.since(mark)), lan.describe(net.since(mark)[0])))
    words = "%d pairs made and deleted in %.1f s: at most %.1f %% of a core" % (
        rounds * PAIRS, took, max(shares) * 100)
    if max(shares) > FLOOD_SHARE:
        raise Failed(words)
    return words


def overrun(scene):
    """The kernel gives up telling: what it did not tell is read all the same."""
    _, member = scene.both()
    mark = scene.net.mark()
    new = "10.77.0.%d" % (member.number + 60)
    member.process.send_signal(signal.SIGSTOP)
    try:
        ip(member, *("link set lo alias a%d" % i for i in range(1500)))
        scene.leases.change(member, ("addr del %s/24 dev eth0" % member.address,), address=new)
    finally:
        member.process.send_signal(signal.SIGCONT)
    check_uses(member, "eth0 " + new)
    scene.leases.change(member, ("addr del %s/24 dev eth0" % new,), address=member.address)
    check_uses(member, "eth0 " + member.address)
    if scene.net.leaders_since(mark):
        raise Failed("leaders since: %s" % scene.net.leaders_since(mark))
    scene.net.settle()


def flapping(scene, seconds):
    """The coordinator's cable, ten times a second: the others have a leader meanwhile. A member's:
    nobody else leads."""
    net = scene.net
    leader, _ = scene.both()
    taken = flap(net, leader, seconds, lambda: any(h is not leader and h.view["role"] == "leader"
                                                   for h in net.hosts))
    if taken is None:
        raise Failed("nobody led for %d s while the cable of %s flapped" % (seconds, leader.name))
    net.settle()
    leader, member = scene.both()
    mark = net.mark()
    flap(net, member, seconds, lambda: False)
    net.settle()
    if net.leaders_since(mark) not in ([], [(leader.name, leader.view["token"])]):
        raise Failed("at a member: leaders were %s" % net.leaders_since(mark))
    return "another leads after %.1f s" % taken


def flap(net, host, seconds, until):
    """Seconds until that is so; None: it never was."""
    begin = now()
    while now() < begin + seconds and not until():
        cable(host, False)
        time.sleep(0.1)
        cable(host, True)
        time.sleep(0.1)
    return now() - begin if until() else None


def of_ipv4(scene):
    return (
        ("leases and routes renewed", renewed, scene, 2 * RA_EVERY),
        ("MTU, promiscuous, second address, macvlan, IPv6 off", scene.nothing,
         mtu_smaller, promiscuous, more_addresses, other_over_it, no_ipv6),
        ("and back", scene.nothing, mtu_as_before, not_promiscuous, fewer_addresses,
         nothing_over_it, ipv6_again),
        ("another lease", another_lease, scene, "new one first"),
        ("another lease at once", another_lease, scene, "old one first"),
        ("renamed", renamed, scene),
        ("bridge over it", bridge_over_it, scene),
        ("macvlan over it", macvlan_over_it, scene),
        ("flood", flood, scene, 3),
        ("overrun", overrun, scene),
        ("down and up", down_and_up, scene),
        ("network restarted", network_restarted, scene),
        ("renamed while down", renamed_while_down, scene),
        ("made again", made_again, scene, "other"),
        ("made again with its number", made_again, scene, "same"),
        ("made again at once", made_again_at_once, scene),
        ("flapping", flapping, scene, 3))


def of_ipv6(scene):
    return (
        ("advertised addresses renewed", renewed, scene, 2 * RA_EVERY),
        ("another link-local address", another_link_local, scene),
        ("IPv6 off and on", ipv6_gone, scene),
        ("MTU too small", mtu_too_small, scene),
        ("down and up, IPv6", down_and_up, scene),
        ("made again, IPv6", made_again, scene, "same"))


def attempts(result, scene, wanted):
    for name, function, *args in wanted(scene):
        before = result.failed
        result.attempt(name, function, *args)
        if result.failed > before:
            for host in scene.net.hosts:
                restored(scene, host)


def lan_of(result, seconds, config, wanted):
    with lan.Lan(3, config) as net:
        for host in net.hosts:
            sysctl(host, "ipv6/conf/eth0/accept_ra", 2)
            for interface in "all", "default", "eth0":
                sysctl(host, "ipv4/conf/%s/promote_secondaries" % interface, 1)
        leases = Leases(net.hosts)
        for host in net.hosts:
            leases.renew(host)
        router = Router(net)
        net.start()
        leases.start()
        scene = Scene(net, leases)
        begin = now()
        attempts(result, scene, wanted)
        left = begin + seconds - now()
        if left > 0:
            result.attempt("renewed to the end", renewed, scene, left)
        leases.close()
        router.close()
        if result.failed:
            net.print_logs()


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60
    lan.setup()
    result = report.Report()
    if sys.argv[2:] == ["ipv6"]:
        lan_of(result, seconds, 'network = { family = "ipv6"; };', of_ipv6)
    else:
        lan_of(result, seconds, "", of_ipv4)
    result.exit()


if __name__ == "__main__":
    main()
