#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three elections on each of three booted hosts: electd, electd@red and electd@blue.

Each has a unit that is bound to its leader target, and the scripts get the name of their election.
A change of one election changes nothing in the others. status, metrics, check and doctor show the
one that is named."""
import json

import hosts
from hosts import Failed, now, until
import report
import story

DOMAINS = {"default": "", "red": "red", "blue": "blue"}
METRICS = "/var/lib/prometheus/node-exporter"


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

    def ask(self, host, domain):
        return host.ask(domain=DOMAINS[domain] or None)

    def settled(self, domain):
        """Waits for a whole group with one leader, whose unit runs there and nowhere else."""
        def leader():
            seen = {h: self.ask(h, domain) for h in self.lan.hosts}
            if not all(s and s["state"] == "normal" and s["leader"] and
                       len(s["members"]) == len(seen) for s in seen.values()):
                return None
            leads = [h for h, s in seen.items() if s["role"] == "leader"]
            return leads[0] if len(leads) == 1 and all(
                (h.state(name) == "active") == (h is leads[0]) for h in seen
                for name in (unit(domain), "electd-leader%s.target" % at(domain))) else None
        return until("%s has one leader, and its unit runs there" % domain, leader)

    def told(self, host, domain, since, event):
        """Returns the environment of a script of that host for that election."""
        return until("a script gets %s of %s" % (event, domain), lambda: next(
            (e.told for e in self.story.entries([host], since)
             if e.told.get("domain") == domain and e.event == event), None))

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
        """During `change` of one election, nothing happens to the others, nor to their scripts."""
        others = [d for d in DOMAINS if d != domain]
        before, begin = {d: self.state(d) for d in others}, now()
        change(domain)
        for other in others:
            if self.state(other) != before[other]:
                raise Failed("%s: %s, before %s" % (other, self.state(other), before[other]))
        ran = [e for e in self.story.entries(self.lan.hosts, begin)
               if e.told.get("domain") in others]
        if ran:
            raise Failed("a script ran: %s" % ran[0])

    def start(self):
        self.story.start()
        for host in self.lan.hosts:
            for domain in "red", "blue":
                host.write("/etc/electd/%s.conf" % domain, "")
                self.story.install(host, unit(domain), at(domain))
            host.systemctl("-q", "enable", unit("red"), unit("blue"))
            host.systemctl("-q", "enable", "--now", "electd@red", "electd@blue")
        for domain in DOMAINS:
            self.settled(domain)

    def shown(self):
        """Each election can be asked by its name, and answers for itself."""
        self.lan.hosts[0].sh("mkdir -p " + METRICS)
        for domain in DOMAINS:
            leader, host = self.settled(domain), self.lan.hosts[0]
            status = json.loads(self.electctl(host, domain, "--json", "status").stdout)
            if status["domain"] != domain or status["leader"]["name"] != leader.name:
                raise Failed("%s: %s" % (domain, status))
            self.electctl(host, domain, "check")
            self.electctl(host, domain, "doctor")
            host.sh("ls /run/electd%s/io.electd /var/lib/electd%s" % ((dash(domain),) * 2))
            host.systemctl("start", "electd-metrics%s.service" % at(domain))
            text = host.sh("cat %s/electd%s.prom" % (METRICS, dash(domain))).stdout
            wrong = [line for line in text.splitlines()
                     if not line.startswith("#") and 'domain="%s"' % domain not in line]
            if wrong or "electd_is_leader" not in text:
                raise Failed("metrics of %s: %s" % (domain, wrong or text))

    def killed(self, domain):
        """The electd-hookd that ends with this electd belongs to no other election."""
        old, begin = self.settled(domain), now()
        old.kill("electd" + at(domain))
        self.told(self.settled(domain), domain, begin, "leader")

    def reloaded(self, domain):
        host = self.lan.others(self.settled(domain))[0]
        host.write("/etc/electd%s.conf" % ("/" + domain if at(domain) else "/electd"),
                   "priority = 90;\n")
        host.systemctl("reload", "electd" + at(domain))
        until("all know it", lambda: all(
            {m["name"]: m["priority"] for m in self.ask(h, domain)["members"]}[host.name] == 90
            for h in self.lan.hosts))

    def defined(self, domain):
        """The definition of each election is in a folder of its own."""
        leader, begin = self.settled(domain), now()
        leader.sh("echo %s | electctl %s define -" % (
            domain, "--domain " + domain if at(domain) else ""))
        for host in self.lan.hosts:
            told = self.told(host, domain, begin, "members")
            if told["definition"] != "/run/electd-hookd%s/definition" % dash(domain):
                raise Failed("the script got %s" % told)

    def mistaken(self):
        """The file of blue sets the domain red: doctor reports that, with the remedy."""
        host = self.lan.hosts[0]
        host.write("/etc/electd/blue.conf", 'domain = "red";\n')
        host.systemctl("restart", "electd@blue")
        until("both report it", lambda: all(
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


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(3) as lan:
        year = Instances(lan)
        result.attempt("three elections on three hosts", year.start)
        result.attempt("each answers by its name", year.shown)
        for name, domain, change in (
                ("the leader of one is killed", "blue", year.killed),
                ("one is configured otherwise", "red", year.reloaded),
                ("one hands something out", "blue", year.defined)):
            result.attempt(name, year.alone, domain, change)
        for domain in DOMAINS:
            result.attempt("all scripts of %s" % domain, year.story.judge, domain)
        result.attempt("two are in one domain by mistake", year.mistaken)
    result.exit()


if __name__ == "__main__":
    main()
