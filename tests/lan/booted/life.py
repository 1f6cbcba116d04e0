#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three booted hosts, and what systemd and the kernel do to the daemons in a year.

life.py [SEED]: electd is installed and started as a user does it. Then daemons are stopped, killed
and reloaded, and hosts are rebooted, frozen and unplugged. After each step one host leads, and the
unit that is bound to leadership runs there and nowhere else. At the end the journals of all hosts
are judged (story.py)."""
import contextlib
import random
import sys
import time

import hosts
from hosts import APP, Failed, now, until
import report
import story

NEEDS = """[Unit]
Wants=electd-online.target
After=electd-online.target
[Service]
Type=oneshot
ExecStart=sh -c 'electctl leader && stamp needs begin'
[Install]
WantedBy=multi-user.target
"""
# How often `leader` must begin while daemons are killed; each script takes up to 100 ms.
PROMOTIONS = 15
WORK = "sleep 0.0$(($$ % 10))\n"


class Life:
    def __init__(self, lan):
        self.lan = lan
        self.story = story.Story(lan)

    def settled(self, wanted=None, among=None):
        """Waits for one leader of these hosts: the unit runs there and nowhere else, and no unit
        has failed. Returns the leader."""
        leader = self.lan.settle(among)
        until("%s on %s only" % (APP, leader.name), lambda: self.lan.leader(among) is leader and all(
            (h.state(unit) == "active") == (h is leader) for h in self.lan.running()
            for unit in (APP, "electd-leader.target")))
        for host in self.lan.running():
            failed = host.systemctl("--failed", "--plain", "--no-legend").stdout
            if failed:
                raise Failed("%s: %s" % (host.name, failed))
        if wanted not in (None, leader):
            raise Failed("%s leads, not %s" % (leader.name, wanted.name))
        return leader

    def moved(self, old, stopped=False):
        """Like settled(), with another leader; `old` is no member any more if it was stopped."""
        among = self.lan.others(old) if stopped or not old.nspawn else None
        return self.settled(until("another leader than %s" % old.name, lambda: next(
            (h for h in self.lan.others(old) if h.leads()), None)), among)

    # ---- units ----

    def installed(self):
        self.story.start(work=WORK)
        leader = self.settled()
        for host in self.lan.hosts:
            text = host.electctl().stdout
            if not text.startswith(("This host, %s, leads" if host is leader else
                                    leader.name + " leads \"default\"; this host, %s, follows")
                                   % host.name) or "Health    ok" not in text:
                raise Failed("electctl on %s says: %s" % (host.name, text))
            host.electctl("check")

    def verified(self):
        for at in ("", "@lab"):
            units = ["electd%s%s" % (name, at) + kind for name, kind in (
                ("", ".service"), ("-hookd", ".service"), ("-leader", ".target"),
                ("-online", ".target"), ("-wait-online", ".service"), ("-metrics", ".service"),
                ("-metrics", ".timer"))]
            done = self.lan.hosts[0].run("systemd-analyze", "verify", "--man=no", *units, check=False)
            if done.returncode or done.stdout or done.stderr:
                raise Failed(done.stdout + done.stderr)

    def by_hand_on_a_follower(self):
        """systemctl start of a unit that is bound to leadership fails, and the journal says why."""
        leader = self.settled()
        host = self.lan.others(leader)[0]
        for unit in (APP, "electd-leader.target"):
            if not host.systemctl("start", unit, check=False).returncode:
                raise Failed("%s starts" % unit)
        until("the journal says why", lambda: any(
            "ssert" in line and "fails while it does not" in line for line in host.run(
                "journalctl", "-q", "--no-pager", "-n", "50").stdout.splitlines()))
        self.settled(leader)

    def reloaded(self):
        """A valid configuration causes no hand-over; a broken one is refused with the reason."""
        leader = self.settled()
        token, at = leader.ask()["token"], now()
        leader.write("/etc/electd/electd.conf", "hooks = { timeout_ms = 20000; };\n")
        leader.systemctl("reload", "electd")
        leader.write("/etc/electd/electd.conf", "hooks = { timeout_ms = -1; };\n")
        done = leader.systemctl("reload", "electd", check=False)
        words = "".join(e.get("MESSAGE") or "" for e in leader.journal("-u", "electd", "-n", "20"))
        if not done.returncode or "timeout_ms" not in words:
            raise Failed("reload: exit %d, %s" % (done.returncode, words))
        leader.write("/etc/electd/electd.conf", "")
        leader.systemctl("reload", "electd")
        self.settled(leader)
        if leader.ask()["token"] != token or self.story.led(at):
            raise Failed("a reload changed who leads")

    def needed_at_boot(self):
        """A unit that waits for electd-online.target starts when a leader is known."""
        host = self.lan.others(self.settled())[0]
        host.write("/etc/systemd/system/needs.service", NEEDS)
        host.systemctl("-q", "enable", "needs.service")
        begin = now()
        host.reboot()
        self.story.first(begin, host, "needs", "begin")
        until("electd-online.target", lambda: host.state("electd-online.target") == "active")
        host.systemctl("-q", "disable", "needs.service")

    # ---- daemons ----

    def stopped(self):
        old = self.settled()
        at = now()
        old.systemctl("stop", "electd")
        new = self.moved(old, stopped=True)
        end = self.story.first(at, old, "hook", "end", event="stop").at
        if self.story.first(at, new, "hook", "begin", event="leader").at < end:
            raise Failed("the new leader began before the demotion had ended")
        if old.state("electd-hookd") != "inactive":
            raise Failed("electd-hookd is %s" % old.state("electd-hookd"))
        old.systemctl("start", "electd")
        self.settled(new)

    def stopped_at_once(self):
        """A stop while hookd starts its targets also stops hookd."""
        host = self.lan.others(self.settled())[0]
        for pause in (0, 0.004, 0.02):
            host.systemctl("restart", "electd")
            until("it follows", lambda: (host.ask() or {}).get("role") == "follower", pause=0.002)
            time.sleep(pause)
            host.systemctl("stop", "electd")
            for unit in ("electd", "electd-hookd", "electd-online.target", "electd-leader.target"):
                if host.state(unit) != "inactive":
                    raise Failed("%s is %s" % (unit, host.state(unit)))
        host.systemctl("start", "electd")

    def hookd_killed(self):
        """The target stops with hookd; the demotion is played before the next promotion."""
        old = self.settled()
        at = old.kill("electd-hookd")
        stopped = self.story.first(at, old, "unit", "end").at
        demoted = self.story.first(at, old, "hook", "end")
        began = self.story.first(at, old, "unit", "begin").at
        if demoted.event not in story.DEMOTIONS or not stopped < began > demoted.at:
            raise Failed("stopped %.3f, %s, begun %.3f" % (stopped, demoted, began))
        self.settled(old)

    def hookd_killed_before_a_stop(self):
        """A demotion is owed, and electd is stopped at once: the demotion is still played."""
        old = self.settled()
        at = old.kill("electd-hookd")
        old.systemctl("stop", "electd")
        # systemd keeps on reporting the kill as a failure.
        old.systemctl("reset-failed")
        self.moved(old, stopped=True)
        if self.story.first(at, old, "hook", "end").event not in story.DEMOTIONS:
            raise Failed("no demotion")
        old.systemctl("start", "electd")

    def killed_at_random(self, chance):
        """The leader resigns, stops or loses a daemon, also in the middle of another hand-over."""
        begin = now()
        acts = (lambda h: h.electctl("resign", "--for", "1", check=False),
                lambda h: h.systemctl("restart", "electd"), *[lambda h: h.kill("electd")] * 2,
                *[lambda h: h.kill("electd-hookd")] * 2)
        # Without hookd, no holder delays the hand-over.
        with self.story.apart():
            while len(self.story.led(begin)) < PROMOTIONS:
                host = next((h for h in self.lan.hosts if h.leads()), self.lan.hosts[0])
                for _ in range(chance.randint(1, 3)):
                    with contextlib.suppress(Failed):   # a daemon that does not run at that moment
                        chance.choice(acts)(host)
                    time.sleep(chance.uniform(0, 0.25))
            for host in self.lan.hosts:
                host.systemctl("reset-failed")
            self.settled()

    # ---- hosts ----

    def host_frozen(self):
        old = self.settled()
        with self.story.apart():
            old.freeze(True)
            new = self.lan.settle(self.lan.others(old), whole=False)
            until("%s there" % APP, lambda: new.state(APP) == "active")
            at = now()
            old.freeze(False)
            self.settled(new)
        self.story.first(at, old, "unit", "end")

    def unplugged(self):
        """Power is lost on the leader: the next boot plays the demotion before anything else."""
        old = self.settled()
        self.story.cut_power(old)
        new = self.moved(old)
        at = now()
        old.boot()
        first = self.story.first(at, old, "hook", "begin")
        if first.event not in story.DEMOTIONS or first.told["replay"] != "1":
            raise Failed("the first after the boot was %s" % first)
        self.settled(new)

    def rebooted(self):
        old = self.settled()
        old.reboot()
        self.moved(old)

    def repair(self):
        """Repairs the hosts after a failed test, for the next one."""
        for host in self.lan.hosts:
            if host.nspawn:
                host.freeze(False)
            else:
                host.boot()
            host.systemctl("reset-failed")
            host.systemctl("start", "electd")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else random.SystemRandom().randrange(10 ** 6)
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        life = Life(lan)
        for name in ("installed", "verified", "by_hand_on_a_follower", "stopped", "hookd_killed",
                     "hookd_killed_before_a_stop", "stopped_at_once", "reloaded", "host_frozen",
                     "unplugged", "rebooted", "needed_at_boot"):
            failed = result.failed
            result.attempt(name.replace("_", " "), getattr(life, name))
            if result.failed > failed:
                life.repair()
        result.attempt("killed at random, seed %d" % seed, life.killed_at_random, random.Random(seed))
        result.attempt("all journals", life.story.judge)
    result.exit()


if __name__ == "__main__":
    main()
