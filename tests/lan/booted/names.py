#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts that are named after their boot, as by DHCP, cloud-init or hostnamectl.

Two booted hosts of one image are both called localhost. The unit of electd shows it a host name that
is set later: all hosts and all hooks use it, and no process is started anew. The name is set by the
command that electctl doctor prints against equal names. The image is that of printed.py, which has a
hostnamectl that works.
"""
import json

import hosts
from hosts import HOOKS, Failed, until
import printed
import report

# electd looks at its host name at least once a second, and says a new one at once.
SOON = 5.0
HOOK = """#!/bin/sh
echo "$1 $ELECTD_NODE_NAME $ELECTD_LEADER_NAME $(hostname)" >>/var/tmp/hooks
"""
REMEDY = "sudo hostnamectl set-hostname ANOTHER"
DAEMONS = "electd", "electd-hookd"


def start(lan):
    for host in lan.hosts:
        host.write("/etc/hostname", "localhost\n")
        # The image has both for other tests, and they drop what hosts send to each other.
        hosts.run("systemctl", "--root", host.root, "-q", "mask", "firewalld", "ufw")
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


def remedy(host, name):
    """What electctl doctor says against equal names, as it is typed."""
    found = json.loads(host.electctl("--json", "doctor", check=False).stdout)["findings"]
    words = [f["remedy"] for f in found if f["name"] == "name-clash"]
    if len(words) != 1 or REMEDY not in words[0]:
        raise Failed("doctor says %s" % found)
    return REMEDY.replace("ANOTHER", name)


def told(host):
    return host.run("tail", "-n", "1", "/var/tmp/hooks").stdout.split()


def named(lan):
    before, leader = processes(lan), lan.settle()
    wanted = {}
    command = remedy(lan.hosts[0], "%s")
    for number, host in enumerate(lan.hosts, 1):
        name = wanted[host] = "web%d" % number
        host.sh(command % name)
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
        until("a hook of %s has the names" % host.name, lambda host=host: told(host)[1:] == [
            wanted[host], wanted[leader], wanted[host]])


def main():
    result = report.Report()
    hosts.setup(*printed.image())
    with hosts.Lan(2) as lan:
        result.attempt("both start as localhost, which is a problem", start, lan)
        result.attempt("a host name that is set later is followed in the unit", named, lan)
    result.exit()


if __name__ == "__main__":
    main()
