# SPDX-License-Identifier: Apache-2.0
"""Who has an address, and whether a client gets answers from it.

Holders follows the kernels' notifications about some addresses in the namespaces of all hosts.
Client is a further host of the LAN that asks those addresses every 2 ms, by ICMP echo: the kernel
of whoever has the address answers. Both use the clock of lan.now()."""
import bisect
import contextlib
import ctypes
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import threading

import lan
from report import Failed

ASK_EVERY = 0.002
CLONE_NEWNET = 0x40000000
RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR = 0x10, 0x100
RTM_NEWADDR, RTM_DELADDR = 20, 21
IFA_ADDRESS, IFA_LOCAL = 1, 2
RECORD = struct.Struct("=dB")     # time of the answer, index of the address


def packed(address):
    """The bytes of an address of either family."""
    return socket.inet_pton(socket.AF_INET6 if ":" in address else socket.AF_INET, address)


# ---- holders -----------------------------------------------------------------------------------


def monitor_in(namespace):
    """Returns a netlink socket in that namespace; the calling thread stays there."""
    with open("/run/netns/" + namespace, encoding="ascii") as f:
        if ctypes.CDLL(None, use_errno=True).setns(f.fileno(), CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns " + namespace)
    monitor = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
    monitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    monitor.bind((0, RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR))
    return monitor


def changes(data):
    """Yields (True: it has come or was renewed, its bytes) of each address in a notification."""
    at = 0
    while at + 16 <= len(data):
        size, kind = struct.unpack_from("=IH", data, at)
        attribute, found = at + 16 + 8, {}
        while attribute + 4 <= at + size:
            length, name = struct.unpack_from("=HH", data, attribute)
            if length < 4:
                break
            found[name] = data[attribute + 4:attribute + length]
            attribute += (length + 3) & ~3
        if kind in (RTM_NEWADDR, RTM_DELADDR):
            yield kind == RTM_NEWADDR, found.get(IFA_LOCAL, found.get(IFA_ADDRESS))
        at += (size + 3) & ~3


def waiting(monitor):
    """Yields the changes of all notifications that have come."""
    with contextlib.suppress(BlockingIOError):
        while True:
            yield from changes(monitor.recv(1 << 16, socket.MSG_DONTWAIT))


class Holders:
    """Follows on which hosts some addresses are."""

    def __init__(self, hosts, addresses):
        self.hosts = hosts
        self.addresses = addresses
        self.names = {packed(address): address for address in addresses}
        self.lock = threading.Lock()
        self.steps = []           # (time, address, host, there)
        self.end_read, self.end_write = os.pipe()
        ready = threading.Event()
        self.thread = threading.Thread(target=self._follow, args=(ready,), daemon=True)
        self.thread.start()
        if not ready.wait(lan.PATIENCE):
            raise Failed("the addresses of the hosts cannot be followed")

    def _follow(self, ready):
        monitors = {monitor_in(host.name): host for host in self.hosts}
        there = set()
        ready.set()
        while True:
            readable, _, _ = select.select([self.end_read, *monitors], [], [])
            if self.end_read in readable:
                break
            # All that waits: what a host lost before another one got it is in it at the latest.
            found = {}
            for monitor in readable:
                for new, address in waiting(monitor):
                    if address in self.names:
                        one = self.names[address], monitors[monitor]
                        found.setdefault(one, []).append(new)
            self._take(found, there)
        for monitor in monitors:
            monitor.close()

    def _take(self, found, there):
        """Those that a host has no more come first, because their order among hosts is unknown."""
        at = lan.now()
        for one, news in sorted(found.items(), key=lambda item: item[1][-1]):
            for new in news:
                if new == (one in there):
                    continue
                (there.add if new else there.discard)(one)
                with self.lock:
                    self.steps.append((at, *one, new))

    def spans(self, address, since=0.0):
        """Yields (begin, end, hosts that have it) from `since` until now."""
        having, begin = set(), since
        with self.lock:
            steps = [step for step in self.steps if step[1] == address]
        for at, _, host, there in steps:
            if at > begin:
                yield begin, at, frozenset(having)
                begin = at
            (having.add if there else having.discard)(host)
        yield begin, lan.now(), frozenset(having)

    def having(self, address):
        """The hosts that have it now."""
        return list(self.spans(address))[-1][2]

    def both(self, since, address):
        """For how many seconds more than one host had it."""
        return sum(end - begin for begin, end, hosts in self.spans(address, since)
                   if len(hosts) > 1)

    def gone(self, host, address, since):
        """When the host lost it, after `since`; None: it has it, or did not lose it."""
        with self.lock:
            lost = [at for at, name, other, there in self.steps
                    if name == address and other is host and not there and at >= since]
        return lost[-1] if lost and host not in self.having(address) else None

    def close(self):
        os.write(self.end_write, b"x")
        self.thread.join()
        os.close(self.end_read)
        os.close(self.end_write)


# ---- the client --------------------------------------------------------------------------------


class Client:
    """A host at this bridge that asks each address every 2 ms, in a process of its own. Its answers
    are in a file of the folder."""

    NAME, PORT = "client", "port-client"

    def __init__(self, folder, bridge, addresses, own=("10.77.0.253/24", "2001:db8:77::253/64")):
        self.addresses = addresses
        self.path = os.path.join(folder, "answers")
        lan.run("ip", "netns", "add", self.NAME)
        lan.run("ip", "link", "add", self.PORT, "type", "veth", "peer", "name", "eth0", "netns",
                self.NAME)
        for words in ("link set lo up", *("addr add %s dev eth0%s" % (
                address, " nodad" if ":" in address else "") for address in own),
                      "link set eth0 up"):
            lan.run("ip", "-n", self.NAME, *words.split())
        lan.run("ip", "link", "set", self.PORT, "master", bridge, "up")
        with open(self.path, "wb") as answers:
            self.process = subprocess.Popen(
                ["nsenter", "--net=/run/netns/" + self.NAME, sys.executable, "-B", __file__,
                 *addresses], stdin=subprocess.DEVNULL, stdout=answers)

    def answers(self, address, since):
        """The times of all answers from then on. They are found by bisection, because the time to
        read all answers of a long run would delay the hosts."""
        index = self.addresses.index(address)
        with open(self.path, "rb") as f:
            def time_of(number):
                f.seek(number * RECORD.size)
                return RECORD.unpack(f.read(RECORD.size))[0]
            count = os.fstat(f.fileno()).st_size // RECORD.size
            first = bisect.bisect_left(range(count), since, key=time_of)
            f.seek(first * RECORD.size)
            data = f.read((count - first) * RECORD.size)
        return [at for at, number in RECORD.iter_unpack(data) if number == index]

    def answered(self, address, after):
        """Waits for an answer after that moment."""
        lan.until("an answer of " + address, lambda: self.answers(address, after))

    def gap(self, address, since):
        """The longest time without an answer between the last one before `since` and now."""
        times = self.answers(address, since - 1.0)
        before = [at for at in times if at < since]
        times = before[-1:] + [at for at in times if at >= since] + [lan.now()]
        if not before:
            raise Failed("%s did not answer before the fault" % address)
        return max(later - at for at, later in zip(times, times[1:]))

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(lan.PATIENCE)
        lan.run("ip", "link", "del", self.PORT, check=False)
        lan.run("ip", "netns", "del", self.NAME, check=False)


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff


def echo_request(address, number):
    """The bytes of an ICMP echo; the kernel adds the checksum of ICMPv6."""
    if ":" in address:
        return struct.pack("!BBHHH", 128, 0, 0, os.getpid() & 0xffff, number)
    head = struct.pack("!BBHHH", 8, 0, 0, os.getpid() & 0xffff, number)
    return head[:2] + struct.pack("!H", checksum(head)) + head[4:]


def open_asking(address):
    if ":" in address:
        asking = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.getprotobyname("ipv6-icmp"))
    else:
        asking = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    asking.setblocking(False)
    return asking


def is_answer(address, data):
    """Of this process, not one to another host's question."""
    data = data if ":" in address else data[(data[0] & 15) * 4:]
    return (len(data) >= 8 and data[0] == (129 if ":" in address else 0) and
            struct.unpack_from("!H", data, 4)[0] == os.getpid() & 0xffff)


def ask(asking, number):
    for one, (_, address) in asking.items():
        try:
            one.sendto(echo_request(address, number & 0xffff), (address, 0))
        except OSError:
            pass                  # nobody has it, or the queue is full: no answer


def hear(one, index, address):
    while True:
        try:
            data, source = one.recvfrom(2048)
        except OSError:           # nothing waits, or an ICMP error was reported
            return
        if source[0] == address and is_answer(address, data):
            os.write(1, RECORD.pack(lan.now(), index))


def main(addresses):
    asking = {open_asking(address): (index, address) for index, address in enumerate(addresses)}
    number, due = 0, lan.now()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    while True:
        if lan.now() >= due:
            ask(asking, number)
            number, due = number + 1, max(due + ASK_EVERY, lan.now())
        readable, _, _ = select.select(list(asking), [], [], max(0.0, due - lan.now()))
        for one in readable:
            hear(one, *asking[one])


if __name__ == "__main__":
    main(sys.argv[1:])
