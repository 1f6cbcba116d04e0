#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that are named after their boot, as by DHCP, cloud-init or hostnamectl.

Two booted hosts of one image are both called localhost. The unit of electd shows it a host name that
is set later: all hosts and all hooks use it, and no process is started anew.
"""
import hosts
from hosts import HOOKS, Failed, until
import report

# electd looks at its host name at least once a second, and says a new one at once.
SOON = 5.0
HOOK = """#!/bin/sh
echo "$1 $ELECTD_NODE_NAME $ELECTD_LEADER_NAME $(hostname)" >>/var/tmp/hooks
"""
DAEMONS = "electd", "electd-hookd"


def start(lan):
    for host in lan.hosts:
        host.write("/etc/hostname", "localhost\n")
        host.write(HOOKS + "/10-note", HOOK, 0o755)
        host.boot("--hostname=localhost")
        host.booted()
        host.run("systemd-sysusers")
        host.systemctl("-q", "enable", "--now", "electd")
    lan.settle()
    for host in lan.hosts:
        until("%s says that the names are equal" % host.name, lambda host=host:
              "have the same name" in host.electctl("check", check=False).stdout, SOON)


def processes(lan):
    return [host.main_pid(unit) for host in lan.hosts for unit in DAEMONS]


def names(host):
    return sorted(m["name"] for m in host.ask()["members"])


def told(host):
    return host.run("tail", "-n", "1", "/var/tmp/hooks").stdout.split()


def named(lan):
    before, leader = processes(lan), lan.settle()
    wanted = {}
    for number, host in enumerate(lan.hosts, 1):
        name = wanted[host] = "web%d" % number
        host.sh("hostname %s && echo %s >/etc/hostname" % (name, name))
        until("it is called %s" % name, lambda host=host, name=name:
              host.ask()["node"]["name"] == name, SOON)
    for host in lan.hosts:
        until("%s knows both" % host.name, lambda host=host:
              names(host) == sorted(wanted.values()), SOON)
        if "have the same name" in host.electctl("check", check=False).stdout:
            raise Failed("%s still says that they are equal" % host.name)
    if lan.leader() is not leader or processes(lan) != before:
        raise Failed("more than a name has changed")
    for host in lan.hosts:
        for name in wanted.values():
            entries = [e for e in host.journal("SYSLOG_IDENTIFIER=electd") if e["MESSAGE"].endswith(
                "localhost is called %s now" % name)]
            if len(entries) != 1:
                raise Failed("%s wrote %d lines about %s" % (host.name, len(entries), name))
    for host in lan.hosts:
        host.systemctl("restart", "electd-hookd")    # plays the present role again
        until("a hook of %s is told the names" % host.name, lambda host=host: told(host)[1:] == [
            wanted[host], wanted[leader], wanted[host]])


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(2) as lan:
        result.attempt("both start as localhost, which is a problem", start, lan)
        result.attempt("a host name that is set later is followed in the unit", named, lan)
    result.exit()


if __name__ == "__main__":
    main()
