#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electd-address on three hosts: which host has the addresses, when leadership moves and when
programs crash, freeze or interfere.

address.py [WORD...]: runs only the attempts with one of these words in their names.

A thread asks the kernel of each host every 2 ms for its addresses. Two hosts count as having an
address at once only if the first of them has it still after the second was seen with it."""
import contextlib
import ctypes
import ipaddress
import json
import os
import signal
import socket
import struct
import sys
import threading
import time

import lan
import report
from addressed import ADDRESSES, CONFIG, Addressed, anew
from report import Failed

PERIOD = 0.002
AT_ONCE = 0.3      # a removal that waits for nothing, on a busy machine
LEASE_MOST = 2.1   # the kernel's removal after the last refresh, with a lease of 1 s
REFRESH = 0.3
RESTORED = 0.5
FLUSHED = 10       # times
ABSENT = 0.05      # seconds between removal and addition by a network manager, about twice as long
RESIDENT_KIB = 3 * 1024
CONFLICT = 1.0
ANNOUNCED = 1.0    # the first announcements are over
SETTLED = 1.0      # claims before that are no reason to hand over
WATCHED = 1.0
OTHER_MAC = bytes.fromhex("02aabbccddee")
RTM_GETADDR, NLM_DUMP, NLMSG_DONE = 22, 0x301, 3
IFA_ADDRESS, IFA_LOCAL, IFA_PROTO, MARK = 1, 2, 11, 0x65
CLONE_NEWNET = 0x40000000


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


@contextlib.contextmanager
def inside(host):
    """This thread is in the network namespace of the host."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/thread-self/ns/net") as own, open("/run/netns/" + host.name) as other:
        check(libc.setns(other.fileno(), CLONE_NEWNET) == 0, "setns: %d", ctypes.get_errno())
        try:
            yield
        finally:
            libc.setns(own.fileno(), CLONE_NEWNET)


def attribute(address):
    """The bytes of the attribute that names the address in a dump."""
    packed = ipaddress.ip_address(address).packed
    kind = IFA_LOCAL if len(packed) == 4 else IFA_ADDRESS
    return struct.pack("=HH", 4 + len(packed), kind) + packed


class Sampler(threading.Thread):
    def __init__(self, hosts):
        super().__init__(daemon=True)
        self.hosts, self.sockets = hosts, {}
        self.condition = threading.Condition()
        self.present = {host: {} for host in hosts}    # address: since when
        self.changes = []    # (time, host, address, whether it is there)
        self.doubles = []    # (time, address, hosts)
        self.samples, self.ending = 0, False
        for host in hosts:
            with inside(host):
                self.sockets[host] = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        self.start()

    def ask(self, host):
        """Returns the addresses of ADDRESSES that the kernel of the host has."""
        self.sockets[host].send(struct.pack("=IHHIIBxxxI", 24, RTM_GETADDR, NLM_DUMP, 1, 0, 0, 0))
        data = b""
        while True:
            piece = self.sockets[host].recv(65536)
            data += piece
            if struct.unpack_from("=IH", piece, len(piece) - 20)[1] == NLMSG_DONE:
                return {address for address in ADDRESSES if attribute(address) in data}

    def run(self):
        while not self.ending:
            begin = lan.now()
            for host in self.hosts:
                self.take(host, self.ask(host), lan.now())
            self.judge()
            time.sleep(max(0.0, begin + PERIOD - lan.now()))

    def take(self, host, found, at):
        with self.condition:
            self.samples += 1
            for address in ADDRESSES:
                if (address in found) == (address in self.present[host]):
                    continue
                self.changes.append((at, host, address, address in found))
                if address in found:
                    self.present[host][address] = at
                else:
                    del self.present[host][address]
                self.condition.notify_all()

    def judge(self):
        for address in ADDRESSES:
            having = [host for host in self.hosts if address in self.present[host]]
            if len(having) > 1 and all(address in self.ask(host) for host in having):
                self.doubles.append((lan.now(), address, [host.name for host in having]))

    def end(self):
        self.ending = True
        self.join()
        for one in self.sockets.values():
            one.close()

    def owners(self):
        """{address: names of the hosts that have it}"""
        return {address: [host.name for host in self.hosts if address in self.present[host]]
                for address in ADDRESSES}

    def wait(self, what, condition, timeout=lan.PATIENCE):
        end = lan.now() + timeout
        with self.condition:
            while not condition():
                if not self.condition.wait(max(0.0, end - lan.now())) and lan.now() > end:
                    raise Failed("not within %.1f s: %s; %s" % (timeout, what, self.owners()))

    def wait_only(self, host):
        """Waits until this host has all addresses, and no other has one."""
        self.wait("only %s has the addresses" % host.name,
                  lambda: self.owners() == {address: [host.name] for address in ADDRESSES})

    def wait_none(self, host, timeout=lan.PATIENCE):
        self.wait("%s has no address" % host.name, lambda: not self.present[host], timeout)

    def gone(self, host, after):
        """When the host had none of the addresses any more, after that time."""
        return max(at for at, h, _, there in self.changes if h is host and not there and at > after)

    def came(self, host, after):
        return max(at for at, h, _, there in self.changes if h is host and there and at > after)


class World:
    """Three hosts, each with an electd and an electd-address."""

    def __init__(self, more="", begin=True):
        self.net = lan.Lan(3, CONFIG + more)
        self.programs = {host: Addressed(host) for host in self.net.hosts}
        self.sampler = Sampler(self.net.hosts)
        self.begins = begin

    def __enter__(self):
        if not self.begins:
            return self
        self.net.start()
        for program in self.programs.values():
            program.start()
        return self

    def __exit__(self, kind, value, trace):
        try:
            if kind:
                for host, program in self.programs.items():
                    print("--- electd-address of %s: %s" % (
                        host.name, "; ".join(program.log().splitlines()[-8:])))
            for host, program in self.programs.items():
                if program.process:
                    program.send(signal.SIGCONT)
                    program.end()
                if host.process:
                    host.process.send_signal(signal.SIGCONT)
        finally:
            if not kind:
                for host in self.net.hosts:
                    self.sampler.wait_none(host, AT_ONCE + LEASE_MOST)
            self.sampler.end()
            self.net.__exit__(kind, value, trace)

    def settle(self):
        """Waits until each may lead and one leads and has the addresses; returns it and its
        program."""
        self.net.settle()
        running = self.net.running()
        lan.until("no host is barred", lambda: all(
            h.call("io.electd.GetStatus")["node"]["barred_ms"] is None for h in running))
        self.net.settle()
        leader = self.net.leader()
        self.sampler.wait_only(leader)
        return leader, self.programs[leader]

    def moved(self, old):
        """Waits until another host leads and has the addresses."""
        self.net.wait("another host than %s leads" % old.name, lambda: self.net.led() and
                      self.net.leader() is not old)
        new = self.net.leader()
        self.sampler.wait_only(new)
        return new

    def never_two(self):
        check(self.sampler.samples, "no sample was taken")
        check(not self.sampler.doubles, "%d times two hosts had an address: %s",
              len(self.sampler.doubles), self.sampler.doubles[:2])

    def wait_log(self, program, words, timeout=lan.PATIENCE):
        lan.until("%s logs: %s" % (program.host.name, words), lambda: words in program.log(),
                  timeout, 0.005)


def shown(host):
    """{ADDRESS/PREFIX: what ip(8) says} of what the host has of ADDRESSES."""
    text = lan.run("ip", "-n", host.name, "-j", "addr", "show", "dev", host.interface).stdout
    return {"%s/%d" % (one["local"], one["prefixlen"]): one
            for one in json.loads(text)[0]["addr_info"] if one["local"] in ADDRESSES}


def children(program):
    """Returns the processes that it has started and that run."""
    return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
            if (lan.running(pid) or ("", 0))[1] == program.process.pid]


def milliseconds(seconds):
    return "%.0f ms" % (seconds * 1000)


# ---- leadership moves ----------------------------------------------------------------------------

def only_the_leader(_):
    with World() as w:
        leader, _ = w.settle()
        time.sleep(3 * REFRESH)
        w.never_two()
        w.sampler.wait_only(leader)
        found = shown(leader)
        check(len(found) == len(ADDRESSES), "the leader has %s", list(found))
        for address, one in found.items():
            check(one["prefixlen"] == (32 if one["family"] == "inet" else 128),
                  "%s has the prefix %d", address, one["prefixlen"])
            check(one["valid_life_time"] <= 1 and one["preferred_life_time"] == 0,
                  "%s has the lifetimes %s, %s", address, one["valid_life_time"],
                  one["preferred_life_time"])
            check(one.get("protocol") in ("0x65", "101", None), "%s: %s", address, one)
        before, at = w.sampler.samples, lan.now()
        time.sleep(WATCHED)
        return "each host is asked every %.1f ms" % (
            (lan.now() - at) * 1000 * 3 / (w.sampler.samples - before))


def moves(w, act):
    """Plays a change of leader; returns (removed after, taken after) in seconds."""
    old, _ = w.settle()
    at = act(old)
    new = w.moved(old)
    w.never_two()
    return w.sampler.gone(old, at) - at, w.sampler.came(new, at) - at


def each_time(act, times=3):
    with World() as w:
        found = []
        for _ in range(times):
            found.append(moves(w, act))
            for host in w.net.hosts:
                if not host.process:
                    host.start()
        w.settle()
        w.never_two()
        return "removed after %s, on the next leader after %s" % (
            ", ".join(milliseconds(gone) for gone, _ in found),
            ", ".join(milliseconds(came) for _, came in found))


def electd_killed(_):
    return each_time(lambda host: host.kill())


def electd_stopped(_):
    return each_time(lambda host: host.stop())


def resign(_):
    return each_time(lambda host: host.resign())


def electd_frozen(_):
    """electd-address removes the addresses by its own clock, before another host leads."""
    with World() as w:
        old, _ = w.settle()
        others = [host for host in w.net.hosts if host is not old]
        at = lan.now()
        old.process.send_signal(signal.SIGSTOP)
        w.sampler.wait_none(old)
        gone = w.sampler.gone(old, at) - at
        w.net.wait("another host leads", lambda: w.net.led(others))
        w.sampler.wait_only(w.net.leader() if w.net.led() else next(
            host for host in others if host.view["role"] == "leader"))
        w.never_two()
        old.process.send_signal(signal.SIGCONT)
        w.settle()
        w.never_two()
        return "removed after " + milliseconds(gone)


def all_frozen(_):
    """The kernel removes the addresses, because nobody refreshes them."""
    with World() as w:
        old, program = w.settle()
        at = program.send(signal.SIGSTOP)
        old.process.send_signal(signal.SIGSTOP)
        w.sampler.wait_none(old)
        gone = w.sampler.gone(old, at) - at
        check(gone <= LEASE_MOST + AT_ONCE, "the kernel removed them after %s", milliseconds(gone))
        doubles = len(w.sampler.doubles)
        w.sampler.wait("another host has them", lambda: all(
            owners and owners[0] != old.name for owners in w.sampler.owners().values()))
        old.process.send_signal(signal.SIGCONT)
        program.send(signal.SIGCONT)
        w.settle()
        check(len(w.sampler.doubles) == doubles, "two hosts had them after the end of the freeze")
        return "removed after %s; two hosts in %d samples" % (milliseconds(gone), doubles)


# ---- electd-address ends -------------------------------------------------------------------------

def program_ended(_, number):
    with World() as w:
        old, program = w.settle()
        at = program.end(number)
        w.sampler.wait_none(old)
        gone = w.sampler.gone(old, at) - at
        check(gone <= AT_ONCE, "removed after %s", milliseconds(gone))
        program.start()
        w.settle()
        w.never_two()
        return "removed after " + milliseconds(gone)


def program_ended_with_its_copy(_):
    """Nothing but the lease is left; the next electd-address finds the mark."""
    with World("address: { lease_ms = 60000; };") as w:
        leader, program = w.settle()
        copy, = children(program)
        os.kill(copy, signal.SIGKILL)
        program.end(signal.SIGKILL)
        time.sleep(AT_ONCE)
        w.sampler.wait_only(leader)    # they are still there, ...
        program.start()
        w.wait_log(program, "started: 2", lan.PATIENCE)
        lan.until("it has another copy", lambda: children(program))
        w.settle()                     # ... and stay with the leader
        copy, = children(program)
        os.kill(copy, signal.SIGKILL)
        program.end(signal.SIGKILL)
        leader.kill()
        at = lan.now()
        program.start()                # electd is not there
        w.sampler.wait_none(leader)
        leader.start()
        w.settle()
        return "removed %s after the start" % milliseconds(w.sampler.gone(leader, at) - at)


def copy_comes_back(_):
    with World() as w:
        leader, program = w.settle()
        copy, = children(program)
        os.kill(copy, signal.SIGKILL)
        lan.until("there is another copy", lambda: children(program) not in ([], [copy]))
        at = program.end(signal.SIGKILL)
        w.sampler.wait_none(leader)
        gone = w.sampler.gone(leader, at) - at
        check(gone <= AT_ONCE, "removed after %s", milliseconds(gone))
        program.start()
        return "removed after " + milliseconds(gone)


# ---- other programs ------------------------------------------------------------------------------

def flush(_):
    with World() as w:
        leader, program = w.settle()
        found = []
        for _ in range(FLUSHED):
            at = lan.now()
            anew(leader)
            w.sampler.wait("the kernel has removed them", lambda: any(
                h is leader and not there and t > at for t, h, _, there in w.sampler.changes))
            w.sampler.wait_only(leader)
            found.append(w.sampler.came(leader, at) - at)
        check(max(found) <= RESTORED, "restored after %s", milliseconds(max(found)))
        w.wait_log(program, "restored on")
        w.never_two()
        return "restored after %s to %s, %d times" % (
            milliseconds(min(found)), milliseconds(max(found)), len(found))


def configured_anew(_):
    """As by a network manager: the host has no address for a moment, and leads on."""
    with World() as w:
        leader, _ = w.settle()
        token = leader.view["token"]
        for _ in range(FLUSHED):
            lan.run("ip", "-n", leader.name, "addr", "flush", "dev", leader.interface)
            time.sleep(ABSENT)
            anew(leader)
            w.sampler.wait_only(leader)
        w.settle()
        w.never_two()
        check(leader.view["token"] == token, "another token: leadership has moved")


def own_address_stays(_):
    """The end of our address leaves the host's own one of the same subnet alone."""
    with World() as w:
        leader, program = w.settle()
        own = leader.address
        program.send(signal.SIGSTOP)
        leader.process.send_signal(signal.SIGSTOP)
        w.sampler.wait_none(leader)
        text = lan.run("ip", "-n", leader.name, "addr", "show", "dev", leader.interface).stdout
        check(own + "/24" in text, "the own address is gone: %s", text)
        leader.process.send_signal(signal.SIGCONT)
        program.send(signal.SIGCONT)
        w.settle()


def foreign(_, *adds):
    """What the host had before stays exactly as it was, while it leads and afterwards."""
    with World(begin=False) as w:
        host = w.net.hosts[0]
        for add in adds:
            lan.run("ip", "-n", host.name, "addr", "add", *add, "dev", host.interface)
        before = shown(host)
        check(len(before) == len(adds), "%s", before)
        host.start()
        w.programs[host].start()
        w.net.wait("it leads", lambda: host.view and host.view["role"] == "leader")
        w.wait_log(w.programs[host], "has the address already")
        time.sleep(3 * REFRESH)
        taken = {name.split("/")[0] for name in before}
        check({name: one for name, one in shown(host).items() if one["local"] in taken} == before,
              "while it led: %s", shown(host))
        check(len({one["local"] for one in shown(host).values()}) == len(ADDRESSES),
              "the other address is missing: %s", shown(host))
        w.programs[host].end()
        check(shown(host) == before, "after the end: %s", shown(host))
        for name in before:
            lan.run("ip", "-n", host.name, "addr", "del", name, "dev", host.interface)


def unplugged(_):
    """After the carrier has come back, the addresses are announced at once."""
    with World() as w:
        leader, _ = w.settle()
        lan.run("ip", "link", "set", leader.port, "down")
        w.sampler.wait_none(leader)
        lan.run("ip", "link", "set", leader.port, "up")
        w.settle()


def reloaded(_):
    """A line that goes takes its address away at once; one that comes brings it."""
    with World() as w:
        leader, program = w.settle()
        with open(leader.config) as f:
            text = f.read()
        at = lan.now()
        leader.write_config('addresses = [ "%s" ];' % ADDRESSES[0])
        program.send(signal.SIGHUP)
        w.sampler.wait("the second one is gone", lambda: ADDRESSES[1] not in
                       w.sampler.present[leader], AT_ONCE + 1)
        check(ADDRESSES[0] in w.sampler.present[leader], "the first one is gone, too")
        with open(leader.config, "w") as f:
            f.write("addresses = 7;")
        program.send(signal.SIGHUP)
        w.wait_log(program, "stays in force")
        with open(leader.config, "w") as f:
            f.write(text)
        program.send(signal.SIGHUP)
        w.settle()
        check(not [1 for t, h, a, there in w.sampler.changes
                   if t > at and a == ADDRESSES[0]], "the first one has moved")


# ---- other machines ------------------------------------------------------------------------------

def arp(address, mac, operation=1):
    packed = ipaddress.ip_address(address).packed
    return b"\xff" * 6 + mac + b"\x08\x06\0\1\x08\0\6\4\0" + bytes([operation]) + mac + packed + \
        bytes(6) + packed


def advertisement(address, mac):
    packed = ipaddress.ip_address(address).packed
    icmp = b"\x88\0\0\0\x20\0\0\0" + packed + b"\2\1" + mac
    return b"\x33\x33\0\0\0\1" + mac + b"\x86\xdd\x60\0\0\0" + struct.pack(
        "!HBB", len(icmp), 58, 255) + packed + ipaddress.ip_address("ff02::1").packed + icmp


def packet_socket(host):
    with inside(host):
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(3))
        s.bind((host.interface, 0))
        return s


def heard(stream, wanted, timeout):
    """Returns when a frame comes for which wanted() is true; None: none comes."""
    end = lan.now() + timeout
    while (left := end - lan.now()) > 0:
        stream.settimeout(left)
        with contextlib.suppress(socket.timeout):
            if wanted(stream.recv(2048)):
                return lan.now()
    return None


def conflict(_):
    with World() as w:
        leader, program = w.settle()
        other = next(host for host in w.net.hosts if host is not leader)
        mac = leader.mac()
        found = []
        with packet_socket(other) as s:
            time.sleep(1.2 * ANNOUNCED)
            for address, frame in ((ADDRESSES[0], arp(ADDRESSES[0], OTHER_MAC)),
                                   (ADDRESSES[1], advertisement(ADDRESSES[1], OTHER_MAC))):
                own = (arp if "." in address else advertisement)(address, mac)
                heard(s, lambda f: False, 0.1)    # what came before
                at = lan.now()
                s.send(frame)
                defended = heard(s, lambda f, own=own: f[6:14] == own[6:14] and
                                 f[-16:] == own[-16:] and f != frame, CONFLICT)
                w.wait_log(program, "%s: conflict: another machine, 02:aa:bb:cc:dd:ee" % address,
                           CONFLICT)
                check(defended, "%s is not defended", address)
                found.append(defended - at)
        w.never_two()
        w.sampler.wait_only(leader)
        return "defended after " + ", ".join(map(milliseconds, found))


def other_vlan(_):
    """A frame of a VLAN that the hosts are not in is for nobody here."""
    with World('address: { conflict = "resign"; };') as w:
        leader, program = w.settle()
        other = next(host for host in w.net.hosts if host is not leader)
        with packet_socket(other) as s:
            time.sleep(1.5 * SETTLED)
            for address, frame in ((ADDRESSES[0], arp(ADDRESSES[0], OTHER_MAC)),
                                   (ADDRESSES[1], advertisement(ADDRESSES[1], OTHER_MAC))):
                s.send(frame[:12] + b"\x81\0\0\7" + frame[12:])
            time.sleep(CONFLICT)
        check("conflict" not in program.log(), "the frame counts as a claim")
        w.sampler.wait_only(leader)


def conflict_resigns(_):
    with World('address: { conflict = "resign"; };') as w:
        leader, _ = w.settle()
        other = next(host for host in w.net.hosts if host is not leader)
        with packet_socket(other) as s:
            time.sleep(1.5 * SETTLED)
            s.send(arp(ADDRESSES[0], OTHER_MAC))
        w.moved(leader)
        w.never_two()


def announced(_):
    """The four announcements after a change of leader, of both families."""
    with World() as w:
        leader, _ = w.settle()
        other = next(host for host in w.net.hosts if host is not leader)
        with packet_socket(other) as s:
            leader.resign()
            new = w.moved(leader)
            if new is other:
                return "the listener leads itself"
            mac, frames = new.mac(), []
            end = lan.now() + 2
            while lan.now() < end:
                heard(s, lambda f: f[6:12] == mac and (f[12:14] == b"\x08\x06" and
                      f[28:32] == f[38:42] or f[54:55] == b"\x88") and not frames.append(f), 0.1)
        kinds = {"request": [f for f in frames if f[20:22] == b"\0\1" and f[12:14] == b"\x08\x06"],
                 "reply": [f for f in frames if f[20:22] == b"\0\2" and f[12:14] == b"\x08\x06"],
                 "advertisement": [f for f in frames if f[54:55] == b"\x88" and
                                   f[62:78] == ipaddress.ip_address(ADDRESSES[1]).packed]}
        for kind, some in kinds.items():
            check(len(some) >= 4, "%d times %s", len(some), kind)
        return ", ".join("%d of %s" % (len(some), kind) for kind, some in kinds.items())


# ---- resources -----------------------------------------------------------------------------------

def resources(_):
    more = ["10.77.0.101", "10.77.0.102", "2001:db8:77::101"]
    with World() as w:
        w.settle()
        for host in w.net.hosts:
            host.write_config("addresses = [ %s ];" % ", ".join(
                '"%s"' % address for address in [*ADDRESSES, *more]))
            w.programs[host].send(signal.SIGHUP)
        leader, program = w.settle()
        lan.until("all are there", lambda: program.log().count(": taken on") >= 5)
        pid = program.process.pid

        def used():
            """Seconds of a processor."""
            with open("/proc/%d/schedstat" % pid) as f:
                return int(f.read().split()[0]) / 1e9

        first, at = used(), lan.now()
        time.sleep(15 * WATCHED)
        share = (used() - first) / (lan.now() - at)
        with open("/proc/%d/status" % pid) as f:
            kib = int(next(line for line in f if line.startswith("VmRSS")).split()[1])
        with open("/proc/%d/smaps_rollup" % pid) as f:
            pss = int(next(line for line in f if line.startswith("Pss:")).split()[1])
        w.sampler.wait_only(leader)
        check(kib <= RESIDENT_KIB, "%d KiB resident", kib)
        return "%.3f %% of a processor, %d KiB resident (%d KiB proportional)" % (
            share * 100, kib, pss)


def main():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    lan.setup()
    result = report.Report()
    attempts = [
        ("only the leader has them", only_the_leader),
        ("electd killed", electd_killed), ("electd stopped", electd_stopped), ("resign", resign),
        ("electd frozen", electd_frozen), ("electd and electd-address frozen", all_frozen),
        ("electd-address killed", program_ended, signal.SIGKILL),
        ("electd-address stopped", program_ended, signal.SIGTERM),
        ("electd-address killed with its copy", program_ended_with_its_copy),
        ("the copy killed", copy_comes_back),
        ("ip addr flush", flush), ("configured anew", configured_anew),
        ("the own address stays", own_address_stays),
        ("foreign /24", foreign, ("10.77.0.100/24",)),
        ("foreign /32", foreign, ("10.77.0.100/32",)),
        ("foreign IPv6", foreign, ("2001:db8:77::100/64", "nodad")),
        ("unplugged", unplugged), ("reload", reloaded),
        ("announcements", announced),
        ("conflict", conflict), ("conflict, other VLAN", other_vlan),
        ("conflict, resign", conflict_resigns),
        ("resources", resources)]
    for name, function, *words in attempts:
        if not sys.argv[1:] or any(word in name for word in sys.argv[1:]):
            result.attempt(name, function, None, *words)
    result.exit()


if __name__ == "__main__":
    main()
