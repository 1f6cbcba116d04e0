#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three booted hosts, and everything that happens to such in a year.

life.py: electd is installed and started as a user does it; then daemons are killed, stopped,
restarted, frozen and reloaded, hosts rebooted, frozen, cut off and unplugged. After each, one host
leads again and what is bound to leadership runs there. At the end the journals of all hosts are
judged (story.py).
"""
import os
import signal
import time

import hosts
from hosts import APP, DEAD_AFTER, Failed, now, until
import report
import story
import unread


class Life:
    def __init__(self, lan):
        self.lan = lan
        self.story = story.Story(lan)

    # ---- what holds whenever nothing happens ----

    def settled(self, hint=None, among=None):
        """One leader of all or of some hosts, the unit runs there and nowhere else, nothing has
        failed: the leader."""
        leader = self.lan.settle(among)

        def right():
            return all((h.state(APP) == "active") == (h is leader) and
                       (h.state("electd-leader.target") == "active") == (h is leader)
                       for h in self.lan.running()) and self.lan.leader(among) is leader
        until("%s on %s only" % (APP, leader.name), right)
        for host in self.lan.running():
            failed = host.systemctl("--failed", "--plain", "--no-legend").stdout
            if failed:
                raise Failed("%s: %s" % (host.name, failed))
        if hint and leader is not hint:
            raise Failed("%s leads, not %s" % (leader.name, hint.name))
        return leader

    def moved(self, old, stopped=False):
        """The same, with another leader than before; that is no member any more if it stopped."""
        among = self.lan.others(old) if stopped or not old.nspawn else None
        leader = until("another leader than %s" % old.name, lambda: next(
            (h for h in self.lan.others(old) if h.leads()), None))
        return self.settled(leader, among)

    # ---- the tests ----

    def install(self):
        leader = self.story.start()
        self.settled()
        for host in self.lan.hosts:
            text = host.electctl().stdout
            if not text.startswith(("This host, %s, leads" if host is leader else
                                    leader.name + " leads \"default\"; this host, %s, follows")
                                   % host.name) or "Health    ok" not in text:
                raise Failed("electctl on %s says: %s" % (host.name, text))
            host.electctl("check")

    def verify(self):
        host = self.lan.hosts[0]
        for at in ("", "@lab"):
            units = ["electd%s%s" % (name, at) + kind for name, kind in (
                ("", ".service"), ("-hookd", ".service"), ("-leader", ".target"),
                ("-online", ".target"), ("-wait-online", ".service"), ("-metrics", ".service"),
                ("-metrics", ".timer"))]
            done = host.run("systemd-analyze", "verify", "--man=no", *units, check=False)
            if done.returncode or done.stdout or done.stderr:
                raise Failed(done.stdout + done.stderr)

    def by_hand_on_a_follower(self):
        """systemctl start of what is bound to leadership fails, and says why."""
        leader = self.settled()
        host = self.lan.others(leader)[0]
        for unit in (APP, "electd-leader.target"):
            done = host.systemctl("start", unit, check=False)
            if not done.returncode or "electd-leader.target" not in \
                    done.stderr + host.systemctl("status", "electd-leader.target",
                                                 check=False).stdout:
                raise Failed("start %s: exit %d, %s" % (unit, done.returncode, done.stderr))
            # systemctl sends people to `journalctl -xe`.
            until("the journal says why", lambda: any(
                "ssert" in line and "fails while it does not" in line for line in host.run(
                    "journalctl", "-q", "--no-pager", "-n", "50").stdout.splitlines()))
        self.settled(leader)

    def daemon_killed(self):
        old = self.settled()
        at = old.kill("electd")
        self.moved(old)
        demoted = self.story.first(at, old, "hook", "end", event="none").at - at
        until("systemd has started electd again", lambda: old.state("electd") == "active")
        self.settled()
        return "demoted %.0f ms after the kill" % (demoted * 1000)

    def hookd_killed(self):
        """The target stops with it; the demotion is played before it leads for scripts again."""
        old = self.settled()
        at = self.story.kill_hookd(old)
        stopped = self.story.first(at, old, "unit", "end").at
        demoted = self.story.first(at, old, "hook", "end")
        began = self.story.first(at, old, "unit", "begin").at
        if demoted.event not in story.DEMOTIONS or not stopped < began > demoted.at:
            raise Failed("stopped %.3f, %s, begun %.3f" % (stopped, demoted, began))
        self.settled(old)
        return "%.0f ms from the kill to the unit's next start" % ((began - at) * 1000)

    def hookd_killed_before_a_stop(self):
        """A demotion is owed, and electd is stopped at once: it is played all the same."""
        old = self.settled()
        at = self.story.kill_hookd(old)
        old.systemctl("stop", "electd")
        # That it was killed is what systemd goes on saying.
        old.systemctl("reset-failed")
        self.moved(old, stopped=True)
        done = [e for e in self.story.entries([old], at) if e.words[:2] == ["hook", "end"]]
        if not done or done[0].event not in story.DEMOTIONS:
            raise Failed("no demotion: %s" % ", ".join(map(str, done)))
        old.systemctl("start", "electd")
        self.settled()

    def hookd_restarted(self):
        old = self.settled()
        at = now()
        old.systemctl("restart", "electd-hookd")
        self.story.first(at, old, "unit", "end")
        self.story.first(at, old, "unit", "begin")
        self.settled(old)

    def stopped(self):
        old = self.settled()
        at = now()
        old.systemctl("stop", "electd")
        new = self.moved(old, stopped=True)
        end = self.story.first(at, old, "hook", "end", event="stop").at
        begin = self.story.first(at, new, "hook", "begin", event="leader").at
        if begin < end:
            raise Failed("the new leader began %.0f ms early" % ((end - begin) * 1000))
        if old.state("electd-hookd") != "inactive":
            raise Failed("electd-hookd is %s" % old.state("electd-hookd"))
        old.systemctl("start", "electd")
        self.settled(new)
        return "%.0f ms from the stop to the new leader's script" % ((begin - at) * 1000)

    def stopped_at_once(self):
        """A stop while hookd starts its targets is a stop of hookd too."""
        host = self.lan.others(self.settled())[0]
        for pause in [n * 0.004 for n in range(12)]:
            host.systemctl("restart", "electd")
            until("it follows", lambda: (host.ask() or {}).get("role") == "follower", pause=0.002)
            time.sleep(pause)
            host.systemctl("stop", "electd")
            for unit in ("electd", "electd-hookd", "electd-online.target", "electd-leader.target"):
                if host.state(unit) != "inactive":
                    raise Failed("%s is %s, %.3f s after it followed" % (
                        unit, host.state(unit), pause))
        host.systemctl("start", "electd")
        self.settled()

    def restarted(self):
        old = self.settled()
        old.systemctl("restart", "electd")
        self.moved(old)

    def reloaded(self):
        """Good configuration: nobody hands over; a broken one is refused in words."""
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
        leader.systemctl("daemon-reload")
        self.settled(leader)
        if leader.ask()["token"] != token or any(
                e.event in (*story.DEMOTIONS, "leader") for e in self.story.entries(since=at)):
            raise Failed("a reload changed who leads")

    def reloaded_unread(self):
        """systemd is stopped with a full queue of notifications: no role changes, and when systemd
        goes on the unit is no longer "reloading"."""
        leader = self.settled()
        token, at, electd = leader.ask()["token"], now(), leader.main_pid("electd")
        os.kill(leader.leader, signal.SIGSTOP)
        try:
            unread.fill(leader.inside("/run/systemd/notify"))
            os.kill(electd, signal.SIGHUP)
            time.sleep(3 * DEAD_AFTER)
        finally:
            os.kill(leader.leader, signal.SIGCONT)
        until("the unit is running for systemd", lambda: leader.systemctl(
            "show", "-P", "SubState", "electd").stdout.strip() == "running")
        leader.systemctl("reload", "electd")
        self.settled(leader)
        if leader.ask()["token"] != token or any(
                e.event in (*story.DEMOTIONS, "leader") for e in self.story.entries(since=at)):
            raise Failed("a reload changed who leads")

    def resigned(self):
        old = self.settled()
        old.electctl("resign", "--for", "1")
        self.moved(old)

    def rebooted(self):
        old = self.settled()
        old.shut_down("reboot")
        new = self.moved(old)
        return "%s took over" % new.name

    def powered_off(self):
        old = self.settled()
        old.shut_down("poweroff")
        new = self.moved(old)
        old.boot()
        self.settled(new)

    def unplugged(self):
        """Power lost while it led: at the next boot the demotion is played before anything."""
        old = self.settled()
        self.story.cut_power(old)
        new = self.moved(old)
        at = now()
        old.boot()
        first = self.story.first(at, old, "hook", "begin")
        if first.event not in story.DEMOTIONS or first.told["replay"] != "1":
            raise Failed("the first after the boot was %s" % first)
        self.settled(new)

    def cut_off(self):
        """The leader alone, then the rest again: the larger part's leader stays."""
        old = self.settled()
        with self.story.apart():
            old.plug(False)
            new = self.lan.settle(self.lan.others(old))
            until("%s there" % APP, lambda: new.state(APP) == "active")
            until("%s knows that it is alone" % old.name,
                  lambda: len(old.ask()["members"]) == 1)
            at = old.plug(True)
            self.settled(new)
        # What the other has changed outside meanwhile is to be set right.
        confirmed = self.story.first(at, new, "hook", "begin", event="leader")
        if confirmed.told["old_role"] != "leader":
            raise Failed("the winner was told %s" % confirmed.told)

    def host_frozen(self):
        old = self.settled()
        with self.story.apart():
            old.freeze(True)
            rest = self.lan.others(old)
            new = until("a leader of the rest", lambda: next((h for h in rest if h.leads()), None))
            until("%s there" % APP, lambda: new.state(APP) == "active")
            at = old.freeze(False)
            self.settled(new)
        ended = self.story.first(at, old, "unit", "end").at
        return "%.0f ms from the thaw to the end of what ran there" % ((ended - at) * 1000)

    def daemon_frozen(self):
        """electd stands still, hookd does not: demotion after dead_after. The others have waited
        as long, from the last beacon on: for a moment both may be there."""
        old = self.settled()
        pid = old.main_pid("electd")
        with self.story.apart():
            at = old.kill("electd", hosts.signal.SIGSTOP)
            demoted = self.story.first(at, old, "hook", "begin", event="none").at - at
            new = until("another leader", lambda: next(
                (h for h in self.lan.others(old) if h.leads()), None))
            until("%s there" % APP, lambda: new.state(APP) == "active")
        hosts.os.kill(pid, hosts.signal.SIGCONT)
        self.settled(new)
        if demoted > DEAD_AFTER + 0.300:
            raise Failed("demoted after %.0f ms" % (demoted * 1000))
        return "demoted after %.0f ms" % (demoted * 1000)

    def online(self):
        """What waits for electd-online.target at boot is started when a leader is known."""
        host = self.lan.others(self.settled())[0]
        host.write("/etc/systemd/system/needs.service",
                   "[Unit]\nWants=electd-online.target\nAfter=electd-online.target\n"
                   "[Service]\nType=oneshot\nExecStart=stamp needs begin\n"
                   "[Install]\nWantedBy=multi-user.target\n")
        host.systemctl("-q", "enable", "needs.service")
        begin = now()
        host.shut_down("reboot")
        at = self.story.first(begin, host, "needs", "begin").at
        known = self.story.first(begin, host, "hook", "begin", event="follower").at
        if at < known - 0.1:
            raise Failed("started %.3f s before a leader was known" % (known - at))
        until("electd-online.target", lambda: host.state("electd-online.target") == "active")
        host.systemctl("-q", "disable", "needs.service")
        self.settled()

    def metrics(self):
        leader = self.settled()
        folder = "/var/lib/prometheus/node-exporter"
        leader.run("mkdir", "-p", folder)
        leader.systemctl("start", "electd-metrics.service")
        text = leader.run("cat", folder + "/electd.prom").stdout
        if "electd_is_leader 1" not in text:
            raise Failed(text[-200:])
        leader.systemctl("-q", "stop", "electd")
        leader.systemctl("start", "electd-metrics.service")
        if leader.run("ls", folder).stdout:
            raise Failed("old metrics stay though electd was stopped")
        self.moved(leader, stopped=True)
        leader.systemctl("-q", "enable", "--now", "electd-metrics.timer")
        leader.systemctl("start", "electd")
        until("the timer writes them", lambda: "electd.prom" in leader.run("ls", folder).stdout,
              timeout=hosts.PATIENCE)
        self.settled()

    def instance(self):
        """A second election beside the first, with units of its own."""
        before = {h: h.ask() for h in self.lan.hosts}
        for host in self.lan.hosts:
            host.write("/etc/electd/lab.conf", "")
            self.story.install(host, "lab.service", "@lab")
            host.systemctl("daemon-reload")
            host.systemctl("-q", "enable", "lab.service")
        at = now()
        for host in self.lan.hosts:
            host.systemctl("start", "electd@lab")
        leader = until("a leader of lab", lambda: next(
            (h for h in self.lan.hosts if h.leads("lab")), None))
        until("its unit", lambda: leader.state("lab.service") == "active")
        told = until("its scripts", lambda: next(
            (e.told for e in self.story.entries([leader], at)
             if e.told.get("domain") == "lab" and e.event == "leader"), None))
        if told["node_name"] != leader.name or leader.state("electd-leader@lab.target") != "active":
            raise Failed("told %s" % told)
        if leader.run("electctl", "--domain", "lab", "is-leader", check=False).returncode:
            raise Failed("electctl --domain lab is-leader says no")
        leader.systemctl("stop", "electd@lab")
        until("another leader of lab", lambda: any(
            h.leads("lab") and h.state("lab.service") == "active" for h in self.lan.others(leader)))
        for host in self.lan.hosts:
            host.systemctl("stop", "electd@lab")
            if host.ask()["token"] != before[host]["token"]:
                raise Failed("the other election on %s was touched" % host.name)


    def repair(self):
        """After a test that failed half way, for the next one."""
        for host in self.lan.hosts:
            if host.nspawn:
                host.freeze(False)
                host.plug(True)
            else:
                host.boot()
            if host.main_pid("electd"):
                host.kill("electd", hosts.signal.SIGCONT)
            host.systemctl("reset-failed")
            host.systemctl("start", "electd")

    def test(self, name, function, result):
        """One of the tests above, for report.attempt()."""
        failed = result.failed
        result.attempt(name, function)
        if result.failed > failed:
            self.repair()


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        life = Life(lan)
        for name, test in (
                ("installed and started", life.install),
                ("systemd-analyze verify", life.verify),
                ("started by hand on a follower", life.by_hand_on_a_follower),
                ("stopped", life.stopped),
                ("electd killed", life.daemon_killed),
                ("electd-hookd killed", life.hookd_killed),
                ("electd-hookd killed, then stopped", life.hookd_killed_before_a_stop),
                ("stopped just after a start", life.stopped_at_once),
                ("electd-hookd restarted", life.hookd_restarted),
                ("electd restarted", life.restarted),
                ("reloaded", life.reloaded),
                ("reloaded while systemd is stopped", life.reloaded_unread),
                ("resigned", life.resigned),
                ("cut off and back", life.cut_off),
                ("host frozen", life.host_frozen),
                ("electd frozen", life.daemon_frozen),
                ("power lost", life.unplugged),
                ("rebooted", life.rebooted),
                ("powered off", life.powered_off),
                ("waits at boot", life.online),
                ("metrics", life.metrics),
                ("all journals", life.story.judge),
                ("further instance", life.instance)):
            life.test(name, test, result)
    result.exit()


if __name__ == "__main__":
    main()
