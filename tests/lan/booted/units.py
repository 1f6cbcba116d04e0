#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A unit that is bound to the leader target fails, on three booted hosts (electd-hooks(7), UNITS).

units.py: with hooks.on_failure "ignore" the leader tells its name within 7 s, leads on, and takes
it back when the unit runs again; with "resign" leadership is handed over. What fails on every host
goes round once: each has led once, nobody does then, and `electctl check` names the unit on each.
"""
import hosts
from hosts import APP, Failed, now, until
import report
import story

# A unit that changes all the time is looked at every 5 s, for 2 s at most.
TOLD = 7.0
BAR = 30
CONFIG = 'hooks = { on_failure = "%s"; };\n'
# It runs for a moment, and fails.
FAILS = "[Service]\nExecStart=\nExecStart=sh -c 'sleep 0.5; exit 3'\n"


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def is_told(host, how):
    """By `check`, with exit status 6 and the unit's name."""
    done = host.electctl("check", check=False)
    named = "unit %s, which follows the leader, has failed (%s)" % (APP, how) in done.stdout
    check(not named or done.returncode == 6, "%s exits %d", done.stdout, done.returncode)
    return named


def promotions(host):
    return [e for e in host.journal("STAMP=1") if e.get("ELECTD_EVENT") == "leader" and
            e["MESSAGE"].startswith("hook begin")]


def ignored(lan):
    """Told, led on, taken back."""
    leader = lan.settle()
    at = leader.kill(APP)
    until("it is told", lambda: is_told(leader, "signal"), TOLD)
    took = now() - at
    check(leader.leads(), "it leads no more")
    check(not any(is_told(h, "signal") for h in lan.others(leader)), "others tell it, too")
    leader.systemctl("reset-failed", APP)
    leader.systemctl("start", APP)
    until("it is taken back", lambda: leader.electctl("check", check=False).returncode == 0, TOLD)
    return "told after %.1f s" % took


def goes_round(lan):
    """Handed over by each in turn, once."""
    first = lan.settle()
    before = {host: len(promotions(host)) for host in lan.hosts}
    for host in lan.hosts:
        host.write("/etc/electd/electd.conf", CONFIG % "resign")
        host.write("/etc/systemd/system/%s.d/fails.conf" % APP, FAILS)
        host.systemctl("daemon-reload")
        host.systemctl("reload", "electd")
    at = first.kill(APP)
    until("it hands over", lambda: not first.leads(), TOLD)
    took = now() - at
    until("nobody leads, and each tells why", lambda: all(
        h.ask()["role"] == "none" and is_told(h, "signal" if h is first else "exit-code")
        for h in lan.hosts), 3 * TOLD)
    for host in lan.hosts:
        led = len(promotions(host)) - before[host]
        check(led == (host is not first), "%s has led %d times", host.name, led)
        left = host.ask()["node"]["barred_ms"]
        check(left and left <= BAR * 1000, "%s is barred for %s ms", host.name, left)
        check("Barred" in host.electctl("status").stdout, "%s does not show it", host.name)
    return "handed over after %.1f s, by all after %.1f s" % (took, now() - at)


def well_again(lan):
    """Who is barred no more leads again, and its unit runs."""
    for host in lan.hosts:
        host.run("rm", "-r", "/etc/systemd/system/%s.d" % APP)
        host.systemctl("daemon-reload")
        host.systemctl("reset-failed", APP)
    until("it is taken back on all", lambda: not any(
        "has failed" in h.electctl("check", check=False).stdout for h in lan.hosts), TOLD)
    leader = lan.settle(timeout=BAR + hosts.PATIENCE)
    until("%s runs on %s" % (APP, leader.name), lambda: leader.state(APP) == "active")
    until("all is well", lambda: leader.electctl("check", check=False).returncode == 0)


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        told = story.Story(lan)
        told.start(CONFIG % "ignore")
        result.attempt("a unit fails, and it is told", ignored, lan)
        result.attempt("it is handed over, once by each", goes_round, lan)
        result.attempt("and leads again when it is well", well_again, lan)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
