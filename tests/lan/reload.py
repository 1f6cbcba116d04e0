#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a reload may cost: another definition, another network in place, what waits for a restart.

What must cost nothing: reloads.py.
"""
import json
import os
import socket
import time

import lan
import report
from report import Failed

HOSTS = 4

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
        s.settimeout(lan.PATIENCE)
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
    written(host, {"domain": '"other"', "node.id": '"%032x"' % 77})
    answer = reloaded(host)
    if answer["changed"] or answer["restart_needed"] != ["domain", "node.id"]:
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


def address(net):
    """Where everybody is told that a host is, by the next beacons; taken back as well. Of a joining
    host it is told at once."""
    leader, mark = net.leader(), net.mark()
    other = next(h for h in net.hosts if h is not leader)
    newcomer = next(h for h in net.hosts if h not in (leader, other))

    def told(on, host):
        status = on.call("io.electd.GetStatus")
        members = {m["name"]: m["address"] for m in status["members"]}
        return members[host.name], status["leader"]["address"]
    for host, said in (leader, "192.0.2.7"), (other, "2001:db8::7"):
        written(host, {"node.address": '"%s"' % said})
        if reloaded(host)["changed"] != ["node.address"]:
            raise Failed("not taken")
    lan.until("the leader's is told by all", lambda: all(
        told(h, leader) == ("192.0.2.7", "192.0.2.7") for h in net.hosts))
    lan.until("a member's by itself and its leader", lambda: all(
        told(h, other)[0] == "2001:db8::7" for h in (leader, other)))
    if "192.0.2.7" not in other.electctl("leader").stdout + other.electctl("status").stdout:
        raise Failed("electctl does not say it")
    for host in leader, other:
        written(host, {})
        reloaded(host)
    lan.until("they are where they are heard", lambda: all(
        told(h, leader) == (leader.address, leader.address) for h in net.hosts) and
        told(leader, other)[0] == other.address)
    if any(e["event"] != "state" for _, _, e in net.since(mark)):
        raise Failed("it changed more than that")
    written(newcomer, {"node.address": '"192.0.2.8"'})
    newcomer.stop()
    newcomer.start()
    net.settle()
    if any(told(h, newcomer)[0] != "192.0.2.8" for h in net.hosts):
        raise Failed("a newcomer's is not in the list")
    written(newcomer, {})
    reloaded(newcomer)


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
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        net.settle()
        time.sleep(1)
        result.attempt("definition", definition, net)
        result.attempt("restart needed", restart_needed, net)
        result.attempt("own port", own_port, net)
        result.attempt("address", address, net)
        result.attempt("other port", other_port, net)
    result.exit()


if __name__ == "__main__":
    main()
