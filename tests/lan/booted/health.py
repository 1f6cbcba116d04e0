#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Probes of electd-probe@ under systemd (electd-health(7)), on three booted hosts.

health.py: a service that is watched on every host is killed on the leader, which hands over; its
demotion ends before the next promotion. A probe that is killed is started again, without any
effect. A unit that runs only on the leader is judged there, and not while electd-hookd restarts,
which stops that unit. Stories show the decisions of the core (health.story), and unit tests what
`electctl probe` does with a program (tests/unit/electctl/test_probe.c)."""
import hosts
from hosts import APP, check, now, until
import report
import story

PACE = """[Service]
ExecStart=
ExecStart=electctl probe %%i --every 0.2 --fall 3 %s -- /etc/electd/probes.d/%%i
"""
# A unit that writes its process id to /run, and the probe that looks for that process.
PID = "[Service]\nExecStart=\nExecStart=sh -c 'echo $$$$ >/run/%p; exec sleep infinity'\n"
WATCHED = """#!/bin/sh
read -r pid </run/%s && [ -d /proc/$pid ] || { echo "it is gone"; exit 1; }
"""
END = "[Service]\nExecStopPost=-+electctl sick app --leader --timeout 1 ended\n"


def row_of(host, name):
    """The report about that name, or None."""
    answer = host.ask("GetHealth") or {"reports": []}
    return next((row for row in answer["reports"] if row["name"] == name), None)


def is_well(host, name):
    return (row_of(host, name) or {"health": None})["health"] == "well"


def prepare(net):
    for host in net.hosts:
        for name, options in (("watched", ""), ("app", "--leader")):
            host.write("/etc/electd/probes.d/" + name, WATCHED % name, 0o755)
            host.write("/etc/systemd/system/electd-probe@%s.service.d/pace.conf" % name, PACE % options)
            host.write("/etc/systemd/system/%s.service.d/pid.conf" % name, PID)
        host.write("/etc/systemd/system/watched.service", "[Unit]\nDescription=watched\n")


def begin(net):
    for host in net.hosts:
        host.systemctl("start", "watched")
        host.systemctl("restart", APP, check=False)     # bound to the target: only on the leader
        host.systemctl("-q", "enable", "--now", "electd-probe@watched", "electd-probe@app")
    for host in net.hosts:
        until("%s is well" % host.name, lambda h=host: is_well(h, "watched"))


def killed(told):
    """The demotion for the reason "sick" ends before the promotion of another host."""
    net = told.lan
    old = net.settle()
    at = old.kill("watched")
    new = until("another host leads", lambda: net.leader() not in (None, old) and net.leader())
    promoted = told.first(at, new, "hook", "begin", event="leader")
    demoted = next(e for e in told.entries([old], at) if e.words[:2] == ["hook", "end"] and
                   e.event in story.DEMOTIONS)
    check(demoted.at < promoted.at, "%s, %s", demoted, promoted)
    check(demoted.told["reason"] == "sick", "the reason is %s", demoted.told["reason"])
    check(row_of(old, "watched")["words"] == "it is gone", "%s", row_of(old, "watched"))
    old.systemctl("start", "watched")
    until("it is well again", lambda: is_well(old, "watched"))


def prober_killed(told):
    """systemd restarts the probe before the name counts as silent."""
    leader = told.lan.settle()
    token, pid = leader.ask()["token"], leader.main_pid("electd-probe@watched")
    leader.kill("electd-probe@watched")
    until("another one runs", lambda: leader.main_pid("electd-probe@watched") not in (None, pid))
    at = now()
    until("it reports", lambda: now() - row_of(leader, "watched")["heard_ms"] / 1000 > at)
    check(leader.ask()["token"] == token, "it has cost the lead")


def on_the_leader_only(told):
    """Without --leader the unit would be sick on each follower."""
    net = told.lan
    for words in (("sick", "app"), ("probe", "x", "--", "systemctl", "is-active", "-q", APP)):
        done = net.hosts[0].electctl(*words, check=False)
        check(done.returncode == 2 and "--leader" in done.stderr, "%s: %s", words, done.stderr)
    for _ in range(2):
        leader = net.settle()
        until("it is judged on the leader", lambda h=leader: is_well(h, "app"))
        check(not any(row_of(h, "app") for h in net.others(leader)), "others judge it, too")
        leader.electctl("resign", "--for", "1")
        until("another host leads", lambda h=leader: net.leader() not in (None, h))


def promoted_anew(host, strike):
    """systemd stops the unit and starts it again, and the host still leads."""
    until("it is judged", lambda: is_well(host, "app"))
    old, token = host.main_pid(APP), host.ask()["token"]
    strike()
    until("it runs again", lambda: host.main_pid(APP) not in (None, old))
    until("it is judged again", lambda: is_well(host, "app"))
    check(host.ask()["token"] == token, "it has cost the lead")


def hookd_anew(told):
    """A restart of electd-hookd is invisible to the probe; if it is killed, the unit's own report
    of its end is ignored, too."""
    leader = told.lan.settle()
    promoted_anew(leader, lambda: leader.systemctl("restart", "electd-hookd"))
    leader.write("/etc/systemd/system/%s.d/end.conf" % APP, END)
    leader.systemctl("daemon-reload")
    promoted_anew(leader, lambda: leader.kill("electd-hookd"))


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as net:
        told = story.Story(net)
        prepare(net)
        told.start()
        begin(net)
        result.attempt("a watched service is killed", killed, told)
        result.attempt("a probe is killed", prober_killed, told)
        result.attempt("a unit that runs on the leader only", on_the_leader_only, told)
        result.attempt("electd-hookd is restarted or killed", hookd_anew, told)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
