#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The end of the numbers for groups (C): exhausted.py.

Hosts whose state says that half of all numbers is used lead as ever, and each says so. When none is
left nobody forms a group, and each says that. What electd(8) prints under BEGINNING ANEW then ends
it: all are stopped, each forgets its state and is started, and they have a leader and low numbers;
that the state is gone is all that they still tell.
"""
import hashlib
import os
import re
import time

import lan
import report
from report import Failed

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../man/electd.8")
SLOT_SIZE, SUM_SIZE = 4096, 32
LIMIT = 1 << 39
# What a host that knows nothing begins below, and what each start may add.
FIRST, START_SPREAD = 1 << 20, 1 << 16
DEGRADED = 6
HALF = "half of all numbers for groups is used up"
FORGOTTEN = "started without its state"
NONE = "this host can form no group: no number for one is left"


def slot(host, generation, reserved):
    """As daemon/store/slot.c has it."""
    words = (0x656c656374640a00, 1, generation, 5, reserved, 0, 0)
    data = b"".join(word.to_bytes(8, "big") for word in words) + bytes.fromhex(host.id)
    data = data.ljust(SLOT_SIZE - SUM_SIZE, b"\0")
    return data + hashlib.blake2b(data, digest_size=SUM_SIZE).digest()


def write_states(net, reserved):
    for host in net.hosts:
        os.makedirs(host.state_dir, mode=0o700, exist_ok=True)
        with open(os.path.join(host.state_dir, "state"), "wb") as f:
            f.write(slot(host, 1, reserved) + slot(host, 2, reserved))


def started(host):
    """What it has logged since its last start."""
    return host.log()[host.log_before:]


def start(net):
    for host in net.hosts:
        path = os.path.join(host.dir, "log")
        host.log_before = os.path.getsize(path) if os.path.exists(path) else 0
        host.start()


def tells(host, text):
    return bool(host.view) and any(text in p for p in host.view["health"]["problems"])


def all_tell(net, text):
    """By the interface, status, check and in the journal."""
    net.wait("all tell that %s" % text, lambda: all(tells(h, text) for h in net.hosts))
    for host in net.hosts:
        check, status = host.electctl("check"), host.electctl("status").stdout
        if check.returncode != DEGRADED or text not in " ".join(check.stdout.split()):
            raise Failed("%s: check says %d %s" % (host.name, check.returncode, check.stdout))
        if text not in " ".join(status.split()):
            raise Failed("%s: status says %s" % (host.name, status))
        if text not in started(host):
            raise Failed("%s: the journal does not say so: %s" % (host.name, started(host)))


def counter(net):
    return int(net.leader().view["group"]["counter"])


def half(net):
    write_states(net, LIMIT // 2)
    start(net)
    net.settle()
    all_tell(net, HALF)
    leader = net.leader()
    leader.kill()
    net.wait("another leads", lambda: net.led(net.running()))
    words = "another leads with %d" % counter(net)
    for host in net.running():
        host.stop()
    return words


def at_the_end(net):
    write_states(net, LIMIT - 1)
    mark = net.mark()
    start(net)
    all_tell(net, NONE)
    time.sleep(2 * lan.LONE_HOLD)
    if net.groups_since(mark) or net.leaders_since(mark):
        raise Failed("groups %s, leaders %s" % (net.groups_since(mark), net.leaders_since(mark)))
    if not all(tells(h, NONE) for h in net.hosts):
        raise Failed("it is told no more")


def begin_anew(net):
    """The second display names the file; systemctl(1) is not here."""
    with open(PAGE) as f:
        text = f.read()
    section = text[text.index(".Sh BEGINNING ANEW"):]
    stop, anew = re.findall(r"(?m)^\.Bd -literal.*\n((?:.*\n)*?)\.Ed$|^\.Dl (.*)$", section)[:2]
    name = re.fullmatch(r"rm /var/lib/electd/(\w+) && systemctl start electd", "".join(anew).strip())
    if "".join(stop).strip() != "systemctl stop electd" or not name:
        raise Failed("electd(8) says: %s, %s" % (stop, anew))
    for host in net.hosts:
        host.stop()
    for host in net.hosts:
        os.unlink(os.path.join(host.state_dir, name[1]))
    start(net)
    net.settle()
    if counter(net) > FIRST + START_SPREAD:
        raise Failed("it begins at %d" % counter(net))
    for host in net.hosts:
        problems = host.view["health"]["problems"]
        if len(problems) != 1 or not problems[0].startswith(FORGOTTEN):
            raise Failed("%s: %s" % (host.name, problems))
    return "a leader with %d" % counter(net)


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(3) as net:
        for scene in half, at_the_end, begin_anew:
            result.attempt(scene.__name__.replace("_", " "), scene, net)
            if result.failed:
                net.print_logs()
                break
    result.exit()


if __name__ == "__main__":
    main()
