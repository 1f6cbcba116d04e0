#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A reload of real daemons, by SIGHUP, by `electctl reload` and by its method, and sockets that are
opened anew while a group exists.

tests/unit/conf, tests/unit/node/test_node.c and tests/unit/control/test_call.c show the effect of
each key, and why a file is refused. Stories show that timings, priorities and quorums which differ
for a moment change no role."""
import signal

import lan
import report
from hooked import check

HOSTS = 3
# Broken configurations, used in turn, and the wrong key.
BROKEN = (("priority = 256;", "priority"), ('network = { family = "ipv5"; };', "network.family"),
          ("};", ""))
DONE, REFUSED = "configuration read again", "nothing was reloaded"


def by_signal(host):
    """Returns (refused?, the line of the log)."""
    before = len(report.whole_lines(host.dir + "/log"))

    def lines():
        return [line for line in report.whole_lines(host.dir + "/log")[before:]
                if DONE in line or REFUSED in line]
    host.process.send_signal(signal.SIGHUP)
    lan.until("SIGHUP is answered in the log", lines)
    return REFUSED in lines()[0], lines()[0]


def by_command(host):
    done = host.electctl("reload")
    check(done.returncode in (0, 7), "electctl reload: exit %d %s", done.returncode, done.stderr)
    return done.returncode == 7, done.stdout + done.stderr


def by_method(host):
    error, reply = host.ask("io.electd.Reload")
    if error:
        return True, "%(file)s:%(line)d: %(key)s" % reply
    return False, " ".join(reply["changed"])


WAYS = by_signal, by_command, by_method


def state(host):
    status = host.call("io.electd.GetStatus")
    return [status[key] for key in ("role", "state", "node", "leader", "group", "token", "quorum",
                                    "domain")]


def accepted(host, text, key):
    """The host takes the configuration, by one of the three ways."""
    host.write_config(text)
    refused, words = WAYS[host.number % len(WAYS)](host)
    check(not refused and key in words, "%s: %s", text, words)


def each_way(net):
    """A valid file takes effect, and electd names the changed keys. A broken file is reported with
    line and key, and changes nothing. No role and no group changes."""
    net.settle()
    mark, leader, group = net.mark(), net.leader(), net.leader().group()
    for number, way in enumerate(WAYS):
        host = net.hosts[number]
        host.write_config("priority = %d;" % (50 + number))
        refused, words = way(host)
        check(not refused and "priority" in words, "%s: %s", way.__name__, words)
        check(host.call("io.electd.GetStatus")["node"]["priority"] == 50 + number,
              "%s: the priority is not taken", way.__name__)
        before, (text, key) = state(host), BROKEN[number]
        host.write_config(text)
        refused, words = way(host)
        check(refused and host.config + ":2" in words and key in words, "%s: %s", text, words)
        check(state(host) == before, "%r changed %s to %s", text, before, state(host))
        accepted(host, "", "priority")
    others = [lan.describe(e) for e in net.since(mark) if e[2]["event"] not in ("members", "state")]
    check(not others and net.leader() is leader and leader.group() == group, "%s", others)


def own_port(net):
    """A member's own port changes, and changes back: all agree again, and on another leader."""
    host = net.leader_and_others()[1][0]
    for text in ('network = { unicast_ports = "7600-7610"; };', ""):
        accepted(host, text, "network.unicast_ports")
        port = host.unicast_port()
        check((7600 <= port <= 7610) == bool(text), "its port: %d", port)
        net.settle()
        old = net.leader()
        old.resign()        # hosts then send each other questions and answers
        net.wait("another leader", lambda old=old: net.agreed() and net.leader() is not old)


def other_port(net):
    """The whole LAN changes the port, one host after the other. A host that starts on the old port
    is alone until it changes, too."""
    moved = "network = { port = 7700; };"
    for host in net.hosts:
        accepted(host, moved, "network.port")
    net.settle()
    newcomer = net.leader_and_others()[1][0]
    rest = [h for h in net.hosts if h is not newcomer]
    newcomer.stop()
    newcomer.write_config()
    newcomer.start()
    net.wait("on the former port a host is alone", lambda: (
        net.agreed(rest) and net.agreed([newcomer])))
    accepted(newcomer, moved, "network.port")
    net.settle()


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS) as net:
        net.start()
        result.attempt("each kind of reload", each_way, net)
        result.attempt("own port", own_port, net)
        result.attempt("other port", other_port, net)
    result.exit()


if __name__ == "__main__":
    main()
