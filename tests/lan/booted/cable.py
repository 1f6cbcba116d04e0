#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The leader's cable is pulled and put back, with the address hook that the manual prints.

cable.py [N [SECONDS...]]: three booted hosts whose address is systemd-networkd's, which takes it
away while there is no carrier. The hook is the one of electd-hooks(7), as printed but for the two
values that an administrator sets. For each of SECONDS (1 and 3), N times (1): within 100 ms the
old leader has given the floating address up; 5 s after the cable is back one host leads, and it
alone has the address. The same once more with electd killed while the cable is out.
"""
import ctypes
import os
import signal
import socket
import struct
import sys
import time

import hosts
from hosts import Failed, now, run, until
import report

GIVEN_UP = 0.100
HEALED = 5.0
FLOATING = "10.78.0.100"
INTERFACE = "host0"
PAGE = os.path.join(hosts.HERE, "../../../man/electd-hooks.7")

NETWORK = """[Match]
Name=%s
[Network]
Address=%s/24
"""

RTM_DELADDR, IFA_LOCAL, RTMGRP_IPV4_IFADDR, CLONE_NEWNET = 21, 2, 0x10, 0x40000000


def printed(page, heading):
    """The literal display under a heading of a manual page."""
    with open(page) as f:
        lines = iter(f.read().splitlines())
    next(line for line in lines if line == ".Ss " + heading)
    next(line for line in lines if line.startswith(".Bd -literal"))
    text = []
    for line in lines:
        if line == ".Ed":
            return "\n".join(text).replace("\\e", "\\") + "\n"
        text.append(line)
    raise Failed("no end of what is printed under %s" % heading)


def hook():
    """Its two settings replaced; nothing else."""
    text = printed(PAGE, "A floating address")
    for old, new in (("address=192.0.2.10 ", "address=%s " % FLOATING),
                     ("interface=eth0 ", "interface=%s " % INTERFACE)):
        if text.count(old) != 1:
            raise Failed("the hook does not set %s" % old)
        text = text.replace(old, new)
    return text


# ---- hosts -------------------------------------------------------------------------------------

def prepare(lan):
    """Before the first boot: networkd for the address, and the volume that the hook is fenced by."""
    os.mkdir(lan.dir + "/shared")
    for host in lan.hosts:
        run("systemctl", "--root", host.root, "-q", "disable", "lan.service")
        host.write("/etc/systemd/network/10-lan.network", NETWORK % (INTERFACE, host.address))
        run("systemctl", "--root", host.root, "-q", "enable", "systemd-networkd")
        os.makedirs(host.root + "/srv/shared", exist_ok=True)
        run("mount", "--bind", lan.dir + "/shared", host.root + "/srv/shared")
        host.write(hosts.HOOKS + "/10-vip", hook(), 0o755)


def start(lan):
    for host in lan.hosts:
        host.boot()
    for host in lan.hosts:
        until("%s has its address" % host.name, lambda host=host: has(host, host.address))
        host.booted()
        host.run("systemd-sysusers")
        host.systemctl("-q", "enable", "--now", "electd")
    return whole(lan)


def has(host, address):
    return bool(run("nsenter", "-t", str(host.leader), "-n", "ip", "-o", "-4", "address", "show",
                    "to", address).stdout)


def holders(lan):
    return [host for host in lan.hosts if has(host, FLOATING)]


def whole(lan, timeout=hosts.PATIENCE):
    """Until one of all leads and it alone has the address: that host."""
    def so():
        leader = lan.leader(lan.hosts)
        return leader if leader and holders(lan) == [leader] and len(
            leader.ask()["members"]) == len(lan.hosts) else None
    try:
        return until("one leader of all, which has the address", so, timeout, pause=0.05)
    except Failed as error:
        raise Failed("%s; leaders by each: %s; the address on: %s" % (
            error, ["%s: %s" % (h.name, ((h.ask() or {}).get("leader") or {}).get("name"))
                    for h in lan.hosts], [h.name for h in holders(lan)])) from None


def cable(host, on):
    """The other end of its interface: that takes the carrier. The time of it."""
    run("ip", "link", "set", "vb-" + host.name, "up" if on else "down")
    return now()


class Addresses:
    """Those that go, as the kernel of a host tells it."""

    def __init__(self, host):
        libc = ctypes.CDLL(None, use_errno=True)
        own = os.open("/proc/self/ns/net", os.O_RDONLY)
        there = os.open("/proc/%d/ns/net" % host.leader, os.O_RDONLY)
        try:
            if libc.setns(there, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
            self.socket.bind((0, RTMGRP_IPV4_IFADDR))
        finally:
            if libc.setns(own, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
            os.close(own)
            os.close(there)

    def gone(self, address, timeout=hosts.PATIENCE):
        """Waits until it is: when that was."""
        wanted = socket.inet_aton(address)
        end = now() + timeout
        while now() < end:
            self.socket.settimeout(max(end - now(), 0.001))
            try:
                data = self.socket.recv(65536)
            except socket.timeout:
                break
            at = now()
            if self._deleted(data, wanted):
                return at
        raise Failed("%s is there still after %.0f s" % (address, timeout))

    @staticmethod
    def _deleted(data, wanted):
        while len(data) >= 24:
            size, kind = struct.unpack_from("=IH", data)
            attributes = data[24:size]
            while kind == RTM_DELADDR and len(attributes) >= 4:
                length, name = struct.unpack_from("=HH", attributes)
                if name == IFA_LOCAL and attributes[4:8] == wanted:
                    return True
                attributes = attributes[max((length + 3) & ~3, 4):]
            data = data[(size + 3) & ~3:]
        return False

    def close(self):
        self.socket.close()


# ---- tests ---------------------------------------------------------------------------------------

def pulled(lan, seconds, runs, killed=False):
    given_up, healed = [], []
    for _ in range(runs):
        old = whole(lan)
        watch = Addresses(old)
        at = cable(old, False)
        given_up.append(watch.gone(FLOATING) - at)
        watch.close()
        if killed:
            old.kill("electd", signal.SIGKILL)
        time.sleep(max(at + seconds - now(), 0))
        at = cable(old, True)
        whole(lan, HEALED)
        healed.append(now() - at)
        time.sleep(max(at + HEALED - now(), 0))
        whole(lan, 0.5)
        if has(old, old.address) is False:
            raise Failed("%s has lost its own address" % old.name)
    return "address given up: %s; whole again: %s" % (
        report.within(given_up, GIVEN_UP, 0), report.within(healed, HEALED, 0))


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    seconds = [int(word) for word in sys.argv[2:]] or [1, 3]
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        prepare(lan)
        start(lan)
        for outage in seconds:
            result.attempt("cable out for %d s" % outage, pulled, lan, outage, runs)
        result.attempt("and electd killed", pulled, lan, 3, max(1, runs // 2), True)
    result.exit()


if __name__ == "__main__":
    main()
