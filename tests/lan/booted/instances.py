#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three elections on each of three booted hosts: electd, electd@red and electd@blue.

Each has a unit that is bound to its leader target, and the scripts of all hosts are told which
election it is. What happens to one of them changes nothing in the others; and what is looked at, by
status, metrics, check and doctor, is the one that was named.
"""
import json
import time

import hosts
from hosts import Failed, now, until
import report
import story

DOMAINS = {"default": "", "red": "red", "blue": "blue"}
METRICS = "/var/lib/prometheus/node-exporter"
REST = 3.0  # longer than a list waits that tells nothing but why some may not lead


def at(domain):
    return "@" + domain if domain != "default" else ""


def dash(domain):
    return "-" + domain if domain != "default" else ""


def unit(domain):
    return "app.service" if domain == "default" else domain + ".service"


class Instances:
    def __init__(self, lan):
        self.lan = lan
        self.story = story.Story(lan)

    def electctl(self, host, domain, *words, check=True):
        options = () if domain == "default" else ("--domain", domain)
        return host.electctl(*options, *words, check=check)

    def ask(self, host, domain, *more):
        return host.ask(*more, domain=DOMAINS[domain] or None)

    def leader(self, domain, among=None):
        """Of a whole group of these hosts, whose unit runs there and nowhere else; or None."""
        among = among or self.lan.hosts
        seen = {h: self.ask(h, domain) for h in among}
        if not all(s and s["state"] == "normal" and s["leader"] and
                   len(s["members"]) == len(among) for s in seen.values()):
            return None
        leads = [h for h, s in seen.items() if s["role"] == "leader"]
        right = len(leads) == 1 and all(
            (h.state(unit(domain)) == "active") == (h is leads[0]) and
            (h.state("electd-leader%s.target" % at(domain)) == "active") == (h is leads[0])
            for h in self.lan.hosts)
        return leads[0] if right else None

    def settled(self, domain, among=None, other_than=None):
        def right():
            leader = self.leader(domain, among)
            return leader if leader is not other_than else None
        return until("%s has one leader, and its unit runs there" % domain, right)

    def told(self, host, domain, since, event):
        """What a script of that host was told of that election."""
        return until("a script is told %s of %s" % (event, domain), lambda: next(
            (e.told for e in self.story.entries([host], since)
             if e.told.get("domain") == domain and e.event == event), None))

    # ---- what all the others are while something happens to one ----

    def state(self, domain):
        seen = {}
        for host in self.lan.hosts:
            status = self.ask(host, domain)
            seen[host.name] = (status["role"], status["token"], status["since"],
                               status["group"]["id"], host.main_pid("electd" + at(domain)),
                               host.main_pid("electd-hookd" + at(domain)),
                               host.main_pid(unit(domain)))
        return seen

    def alone(self, domain, change):
        """While `change` happens to that one, nothing happens to the others, nor to their scripts."""
        others = [d for d in DOMAINS if d != domain]
        before, begin = {d: self.state(d) for d in others}, now()
        said = change(domain)
        for other in others:
            if self.state(other) != before[other]:
                raise Failed("%s: %s, before %s" % (other, self.state(other), before[other]))
        ran = [e for e in self.story.entries(self.lan.hosts, begin)
               if e.told.get("domain") in others]
        if ran:
            raise Failed("a script ran: %s" % ran[0])
        return said

    # ---- the tests ----

    def start(self):
        self.story.start()
        for host in self.lan.hosts:
            for domain in "red", "blue":
                host.write("/etc/electd/%s.conf" % domain, "")
                self.story.install(host, unit(domain), at(domain))
            host.systemctl("daemon-reload")
            host.systemctl("-q", "enable", unit("red"), unit("blue"))
            host.systemctl("-q", "enable", "--now", "electd@red", "electd@blue")
        for domain in DOMAINS:
            self.settled(domain)

    def looked_at(self):
        """Each one is asked by its name, and answers for itself."""
        for domain in DOMAINS:
            leader = self.leader(domain)
            for host in self.lan.hosts:
                status = json.loads(self.electctl(host, domain, "--json", "status").stdout)
                words = self.electctl(host, domain, "status").stdout
                if status["domain"] != domain or '"%s"' % domain not in words:
                    raise Failed("%s: %s" % (domain, words))
                if self.electctl(host, domain, "leader").stdout.split()[0] != leader.name:
                    raise Failed("another leader of %s" % domain)
                self.electctl(host, domain, "check")
                done = self.electctl(host, domain, "doctor", check=False)
                if done.returncode:
                    raise Failed("doctor of %s on %s: %s" % (domain, host.name, done.stdout))
                folder = host.sh("cd /run/electd%s && ls && ls /var/lib | grep -x electd%s" % (
                    dash(domain), dash(domain))).stdout.split()
                if "io.electd" not in folder or "electd" + dash(domain) not in folder:
                    raise Failed("folders: %s" % folder)

    def metrics(self):
        host = self.lan.hosts[0]
        host.sh("mkdir -p " + METRICS)
        for domain in DOMAINS:
            host.systemctl("start", "electd-metrics%s.service" % at(domain))
            text = host.sh("cat %s/electd%s.prom" % (METRICS, dash(domain))).stdout
            wrong = [line for line in text.splitlines()
                     if not line.startswith("#") and 'domain="%s"' % domain not in line]
            if wrong or "electd_is_leader" not in text:
                raise Failed("metrics of %s: %s" % (domain, wrong or text))

    def resigned(self, domain):
        old, begin = self.leader(domain), now()
        self.electctl(old, domain, "resign")
        new = self.settled(domain, other_than=old)
        told = self.told(new, domain, begin, "leader")
        if told["node_name"] != new.name or told["leader_name"] != new.name:
            raise Failed("told %s" % told)
        self.told(old, domain, begin, "follower")

    def killed(self, domain):
        old = self.leader(domain)
        old.kill("electd" + at(domain))
        self.settled(domain)

    def reloaded(self, domain):
        """By systemd, as people do it."""
        host = self.lan.hosts[0]
        host.write("/etc/electd%s.conf" % ("/" + domain if at(domain) else "/electd"),
                   "priority = 90;\n")
        host.systemctl("reload", "electd" + at(domain))
        until("all know it", lambda: all(
            {m["name"]: m["priority"] for m in self.ask(h, domain)["members"]}[host.name] == 90
            for h in self.lan.hosts))

    def defined(self, domain):
        """What it hands out lies in a folder of its own."""
        leader, begin = self.leader(domain), now()
        leader.sh("echo %s | electctl %s define -" % (
            domain, "--domain " + domain if at(domain) else ""))
        for host in self.lan.hosts:
            told = self.told(host, domain, begin, "members")
            if told["definition"] != "/run/electd-hookd%s/definition" % dash(domain):
                raise Failed("told %s" % told)

    def sick(self, domain):
        old = self.leader(domain)
        for _ in range(2):
            self.electctl(old, domain, "sick", "disk", "broken")
        self.settled(domain, other_than=old)
        for other in DOMAINS:
            said = self.electctl(old, other, "health", check=False).stdout
            if ("disk" in said) != (other == domain):
                raise Failed("health of %s: %s" % (other, said))
        self.electctl(old, domain, "forget", "disk")
        # The list says later, by the way, that nothing keeps that host from leading any more.
        until("a rest", lambda: self.rested(domain))

    def rested(self, domain):
        begin = now()
        time.sleep(REST)
        return not [e for e in self.story.entries(self.lan.hosts, begin)
                    if e.told.get("domain") == domain]

    def stopped(self, domain):
        old = self.leader(domain)
        old.systemctl("stop", "electd" + at(domain))
        self.settled(domain, self.lan.others(old))
        for kind in "electd", "electd-hookd":
            if old.state(kind + at(domain)) == "active":
                raise Failed("%s%s runs" % (kind, at(domain)))
        old.systemctl("start", "electd" + at(domain))
        self.settled(domain)

    def mistaken(self):
        """The file of blue says the domain of red: told as that, and with what mends it."""
        host = self.lan.hosts[0]
        host.write("/etc/electd/blue.conf", 'domain = "red";\n')
        host.systemctl("restart", "electd@blue")
        until("both say it", lambda: all(
            "another electd of this host" in self.electctl(host, instance, "check",
                                                           check=False).stdout
            for instance in ("red", "blue")))
        done = self.electctl(host, "red", "--plain", "doctor", check=False)
        if done.returncode != 6 or "same-domain" not in done.stdout or \
                "machine-id" in done.stdout:
            raise Failed("doctor: exit %d: %s" % (done.returncode, done.stdout))
        host.write("/etc/electd/blue.conf", "")
        host.systemctl("restart", "electd@blue")
        for domain in DOMAINS:
            self.settled(domain)

    def judge(self, domain):
        return self.story.judge([e for e in self.story.entries() if e.told.get("domain") == domain])


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(3) as lan:
        year = Instances(lan)
        result.attempt("three elections on three hosts", year.start)
        result.attempt("each is looked at by its name", year.looked_at)
        result.attempt("metrics of each", year.metrics)
        for name, domain, change in (
                ("the leader of one resigns", "red", year.resigned),
                ("the leader of one is killed", "blue", year.killed),
                ("the leader of the first is killed", "default", year.killed),
                ("one is configured otherwise", "red", year.reloaded),
                ("one hands something out", "blue", year.defined),
                ("a host is sick for one", "blue", year.sick),
                ("one is stopped", "red", year.stopped)):
            result.attempt(name, year.alone, domain, change)
        # before two run the scripts of one domain
        for domain in DOMAINS:
            result.attempt("all scripts of %s" % domain, year.judge, domain)
        result.attempt("two are in one domain by mistake", year.mistaken)
    result.exit()


if __name__ == "__main__":
    main()
