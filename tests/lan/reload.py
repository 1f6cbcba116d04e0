#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The configuration read again on a running LAN: what changed counts, nothing is elected for it.

reload.py [RELOADS [SEED]] (default 200). Valid and broken files, by SIGHUP and by Reload; then
what has to cost something: another network, and what waits for a restart.
"""
import json
import os
import random
import signal
import socket
import sys
import time

import lan
import report
from report import Failed

HOSTS = 4

# key, values that may be mixed on a LAN without anybody being missed
VALID = [
    ("priority", ["1", "50", "100", "200", "255"]),
    ("quorum", ["0", "1", "2"]),
    ("timing.dead_after_ms", ["600", "700", "900"]),
    ("timing.start_hold_ms", ["300", "600"]),
    ("timing.lone_hold_ms", ["1200", "2000"]),
    ("timing.yield_timeout_ms", ["1000", "16000"]),
    ("hooks.timeout_ms", ["1000", "10000"]),
    ("hooks.on_failure", ['"ignore"', '"resign"']),
    ("auth.mode", ['"auto"']),
    ("network.interfaces", ['[ ]', '[ "eth0" ]', '[ "eth*" ]']),
    ("network.unicast_ports", ['"7544-7575"', '"7544-7600"']),
]
# text, the key and the line that are named
BROKEN = [
    ("priority = 256;", "priority"),
    ("prioritee = 1;", "prioritee"),
    ('domain = "a b";', "domain"),
    ("network: { port = 7550; };", "network.unicast_ports"),
    ('network: { peers = [ "x" ]; };', "network.peers"),
    ("timing: { dead_after_ms = 399; };", "timing.dead_after_ms"),
    ('definition: { file = "/nowhere"; };', "definition.file"),
    ('auth: { mode = "enforce"; };', "auth.mode"),
    ("quorum = ", None),
    ("}", None),
]


def text_of(settings):
    lines = []
    for key, value in settings.items():
        group, dot, name = key.rpartition(".")
        lines.append("%s: { %s = %s; };" % (group, name, value) if dot else
                     "%s = %s;" % (key, value))
    return lines


def written(host, settings, more=()):
    """Groups may stand there only once, so each key has a drop-in of its own."""
    folder = host.config + ".d"
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    for number, line in enumerate([*text_of(settings), *more]):
        with open("%s/%02d.conf" % (folder, number), "w") as f:
            f.write("\n" + line + "\n")


def call(host, method):
    """(error or None, parameters)"""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(5)
        s.connect(host.socket_path)
        s.sendall(json.dumps({"method": method}).encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            piece = s.recv(65536)
            if not piece:
                raise Failed("%s: closed" % method)
            data += piece
    reply = json.loads(data[:-1])
    return reply.get("error"), reply["parameters"]


def reloaded(host):
    error, answer = call(host, "io.electd.Reload")
    if error:
        raise Failed("%s: %s" % (host.name, answer))
    return answer


def refused(host, key):
    before = host.call("io.electd.GetStatus")
    error, answer = call(host, "io.electd.Reload")
    after = host.call("io.electd.GetStatus")
    if error != "io.electd.ConfigInvalid":
        raise Failed("a broken file was taken: %s" % answer)
    if key is not None and answer["key"] != key:
        raise Failed("%s is named, not %s: %s" % (answer["key"], key, answer["text"]))
    if key != "auth.mode" and (answer["line"] < 2 or not answer["file"].startswith(host.config)):
        raise Failed("no place: %s" % answer)
    for name in ("node", "quorum", "group", "leader", "token"):
        if before[name] != after[name]:
            raise Failed("%s changed by a broken file" % name)


def by_signal(host):
    """SIGHUP, until the log says that it was done."""
    lines = len(host.log().splitlines())
    host.process.send_signal(signal.SIGHUP)
    end = lan.now() + 5
    while lan.now() < end:
        if any("configuration read again" in line or "nothing was reloaded" in line
               for line in host.log().splitlines()[lines:]):
            return
        time.sleep(0.005)
    raise Failed("%s says nothing of SIGHUP" % host.name)


def one_reload(host, settings, number):
    key, values = random.choice(VALID)
    if random.random() < 0.4:
        text, key = random.choice(BROKEN)
        written(host, settings, [text])
        if number % 2:
            refused(host, key)
        else:
            by_signal(host)
        return
    settings[key] = random.choice(values)
    written(host, settings)
    if number % 2:
        reloaded(host)
    else:
        by_signal(host)


def many(net, count):
    settings = {host: {} for host in net.hosts}
    mark = net.mark()
    try:
        for number in range(count):
            host = random.choice(net.hosts)
            one_reload(host, settings[host], number)
        time.sleep(2)
    finally:
        for host in net.hosts:
            written(host, {})
            reloaded(host)
    for item in net.since(mark):
        if item[2]["event"] in ("leader", "follower", "none"):
            raise Failed("after a reload: %s" % lan.describe(item))
    return "%d reloads" % count


def definition(net):
    """What the leader hands out comes with the file, and again when the file has other bytes."""
    leader, mark = net.leader(), net.mark()
    path = os.path.join(leader.dir, "definition")
    for number, text in enumerate(["one", "two"]):
        with open(path, "w") as f:
            f.write(text)
        written(leader, {"definition.file": '"%s"' % path})
        answer = reloaded(leader)
        if answer["changed"] != ["definition.file"]:
            raise Failed("changed: %s" % answer)
        net.wait("everybody hears of the definition", lambda n=number: all(
            sum(h is host and e["event"] == "members" for _, h, e in net.since(mark)) > n
            for host in net.hosts))
    written(leader, {})
    reloaded(leader)


def restart_needed(net):
    host = net.hosts[0]
    written(host, {"domain": '"other"', "node.name": '"other"'})
    answer = reloaded(host)
    if answer != {"changed": [], "restart_needed": ["domain", "node.name"]}:
        raise Failed("%s" % answer)
    written(host, {})
    reloaded(host)


def own_port(net):
    """A member's own port moves: it stays with the others, or is back with them soon."""
    host = next(h for h in net.hosts if h is not net.leader())
    written(host, {"network.unicast_ports": '"7600-7610"'})
    if reloaded(host)["changed"] != ["network.unicast_ports"]:
        raise Failed("not taken")
    time.sleep(5)
    net.settle()
    written(host, {})
    reloaded(host)
    time.sleep(5)
    net.settle()


def other_port(net):
    """The whole LAN moves to another port, one host after the other."""
    for host in net.hosts:
        written(host, {"network.port": "7700"})
        reloaded(host)
    net.settle()
    # Who comes anew is heard only where it says Hello.
    newcomer = next(h for h in net.hosts if h is not net.leader())
    rest = [h for h in net.hosts if h is not newcomer]
    newcomer.stop()
    newcomer.start()
    net.settle()
    newcomer.stop()
    written(newcomer, {})
    newcomer.start()
    net.wait("on the old port a host is alone", lambda: (
        net.agreed(rest) and net.agreed([newcomer])))
    written(newcomer, {"network.port": "7700"})
    reloaded(newcomer)
    net.settle()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    random.seed(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        time.sleep(1)
        result.attempt("random reloads", many, net, count)
        result.attempt("definition", definition, net)
        result.attempt("restart needed", restart_needed, net)
        result.attempt("own port", own_port, net)
        result.attempt("other port", other_port, net)
    result.exit()


if __name__ == "__main__":
    main()
