#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command that README.md, doc/install.md and the manual print is run as printed, on booted hosts.

printed.py [--list | --image]: two hosts without anything of electd, and a user who may use sudo. The
blocks are taken from the pages byte for byte: indented ones and `commands` of the Markdown pages,
displays of man/*. The user types the Markdown pages, root types the manual. First of all electd is
built and installed as doc/install.md has it, apt-get in the image (image.sh), the rest on the hosts.
RULES has for each block what is done with it, in this order, or why it is not run here. A block
without a rule is a failure, and so is a rule without a block. The blocks of the manual are also looked
up in the output of man(1): a user copies the command that was run.
"""
import json
import os
import re
import socket
import subprocess
import sys

import hosts
from hosts import Failed, now, run, until
import pages
import report

TREE = pages.TREE
USER = "carol"
SOURCE = "/home/%s/electd" % USER
SBIN = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
MARKDOWN = ("README.md", "doc/install.md")
PAGES = ("electctl.1", "electd.8", "electd.conf.5", "electd-hookd.8", "electd-hooks.7",
         "electd-health.7", "electd-protocol.7", "electd-security.7", "electd-troubleshooting.7",
         "electd-varlink.7", "electsim.1")
# Packages that the pages presuppose, or name as a choice.
INCLUDED = ("libpam-systemd", "sudo", "cron", "firewalld", "ufw", "iputils-arping",
            "iputils-ping", "man-db")
SCHEDULER = "/usr/local/bin/scheduler"
REPORT = "/usr/local/bin/nightly-report"
REPORTS = "/var/tmp/nightly-report"

REMEDY = "sudo hostnamectl set-hostname ANOTHER"

# What the reader puts in: "systemctl status NAME".
PLACE = r"\b[A-Z]{4,}\b"

# What these print before a line cannot be told from output otherwise.
PROMPT = "$ "


class NotRun(str):
    """Why a block is not run here."""


# ---- what is printed -----------------------------------------------------------------------------

def spans():
    """The text between `backticks` in the running text of the Markdown pages, and the commands of
    electd-troubleshooting(7), which are .Ic or .Ql."""
    text = re.sub(r"(?m)^    .*\n", "", "".join(map(pages.text_of, MARKDOWN)))
    found = [" ".join(s.split()) for s in re.findall(r"`([^`]+)`", text)]
    found += re.findall(r"(?m)^\.(?:Ql|Ic) (?:\( )?(.*?)(?: [.,;:)])*$",
                        pages.text_of("man", "electd-troubleshooting.7"))
    return list(dict.fromkeys(found))


def blocks():
    """[(page, text)]"""
    found = [(page, text) for page in MARKDOWN for text in pages.indented(pages.text_of(page))]
    for page in PAGES:
        found += [(page, text) for text in pages.displays(page)]
    return found


def shape(value):
    """Keys and kinds of a JSON value."""
    if isinstance(value, dict):
        return {key: shape(v) for key, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value[:1]]
    return type(value).__name__


def form(text):
    """What differs from host to host and from time to time is left out."""
    text = re.sub(r"\b(host|web|db)\d\b", "HOST", text)
    text = re.sub(r"\b(\d+ min )?\d[\d.]* (s|ms|min)\b", "TIME", text)
    return re.sub(r"\d[\d.:-]*\d|\d", "N", text)


# ---- doing it ------------------------------------------------------------------------------------

class Printed:
    def __init__(self, lan):
        self.lan = lan
        self.one, self.two = lan.hosts
        self.crontab = []
        self.began = now()

    # ---- who types ----

    def user(self, host, text, folder="/home/" + USER, check=True, timeout=60):
        """As somebody who has logged in. What takes its time gives way to hosts that are timed."""
        return host.run("nice", "-n", "15" if timeout > 60 else "0", "runuser", "-u", USER, "--",
                        "env", "-i", "-C", folder, "HOME=/home/" + USER, "USER=" + USER,
                        "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "bash", "-ec", text,
                        check=check, timeout=timeout)

    def root(self, host, text, check=True):
        return host.run("env", "-i", "-C", "/root", "HOME=/root", "LANG=C.UTF-8", "PATH=" + SBIN,
                        "bash", "-ec", text, check=check)


    def put(self, path, text, some=None, mode=0o644):
        """A file of hosts that run."""
        for host in some or self.lan.hosts:
            with open(host.inside(path), "w") as f:
                f.write(text + "\n")
            os.chmod(host.inside(path), mode)

    def hook(self, name, text):
        self.put(hosts.HOOKS + "/" + name, text, mode=0o755)

    def no_hook(self, name):
        for host in self.lan.hosts:
            host.run("rm", hosts.HOOKS + "/" + name)

    # ---- what holds ----

    def leader(self):
        try:
            return self.lan.settle()
        except Failed as error:
            raise Failed("%s: %s" % (error, "".join(
                h.electctl(check=False).stdout for h in self.lan.hosts))) from None

    def follower(self):
        return self.lan.others(self.leader())[0]

    def move(self):
        """Another leader; and the one before may lead again at once."""
        old = self.leader()
        old.electctl("hold", "on")
        try:
            until("another leader", lambda: self.leader() is not old)
        finally:
            old.electctl("hold", "off")

    def scheduled(self):
        """The hosts on which the scheduler runs: it holds a lock."""
        return [h for h in self.lan.hosts
                if h.run("flock", "-n", "/run/scheduler", "true", check=False).returncode]

    def follows_the_leader(self):
        """The scheduler runs on the leader and nowhere else, also when that is another one."""
        for _ in range(2):
            until("the scheduler runs on the leader only",
                  lambda: self.scheduled() == [self.lan.leader()])
            self.move()

    # ---- before ----

    def prepare(self):
        """Two hosts with a user and the programs of the examples, and no electd."""
        os.mkdir(self.lan.dir + "/shared")
        for host in self.lan.hosts:
            host.write("/etc/systemd/system/lan.service", hosts.MANUAL_LAN % host.number)
            host.write("/etc/sudoers.d/all", "%s ALL=(ALL) NOPASSWD: ALL\n" % USER, 0o440)
            run("chroot", host.root, "useradd", "-m", "-s", "/bin/bash", USER)
            run("systemctl", "--root", host.root, "-q", "disable", "firewalld", "ufw")
            host.write("/etc/hosts", "127.0.0.1 localhost\n" + "".join(
                "192.0.2.%d %s\n" % (h.number, h.name) for h in self.lan.hosts))
            host.write(SCHEDULER, "#!/bin/sh\nexec flock /run/scheduler sleep infinity\n", 0o755)
            host.write(REPORT, "#!/bin/sh\necho \"$(electctl leader) $*\" >>%s\n" % REPORTS, 0o755)
            os.mkdir(host.root + "/srv/shared")
            run("mount", "--bind", self.lan.dir + "/shared", host.root + "/srv/shared")
        copy_tree(self.one.root + SOURCE)
        run("chroot", self.one.root, "chown", "-R", USER + ":", SOURCE)
        for host in self.lan.hosts:
            host.boot()
        for host in self.lan.hosts:
            host.booted()

    # ---- Markdown ----

    def install(self, text):
        """On the first host all of it. The second has the same folder then."""
        begin = now()
        self.user(self.one, text, SOURCE, timeout=300)
        built = now() - begin
        run("cp", "-a", self.one.root + SOURCE, self.two.root + SOURCE)
        self.user(self.two, text[text.index("sudo make install"):], SOURCE)
        self.leader()
        return "%.0f s from the source to a running electd" % built

    def firewall(self, text):
        """Each line where that program is: without it the host hears nobody. electd is stopped until the
        firewall filters: what comes back to one that talked before would be let in as an answer.
        systemd says that firewalld runs before it filters; firewall-cmd waits until it does."""
        firewalld, ufw = text.splitlines()
        for host, block, line, who in (
                (self.one, "systemctl start firewalld; firewall-cmd --state", firewalld, self.user),
                (self.two, "ufw --force enable", ufw, self.user)):
            host.systemctl("stop", "electd")
            host.sh(block)
            host.systemctl("start", "electd")
            try:
                until("%s is alone behind its firewall" % host.name, lambda h=host: [
                    m["name"] for m in (h.ask() or {}).get("members", [])] == [h.name] and h.leads())
            finally:
                who(host, line)
            self.leader()

    def sample(self, text):
        """What electctl shows has this form."""
        command, wanted = text.split("\n", 1)
        words = []
        for shown in wanted, self.user(self.follower(), command[len(PROMPT):]).stdout:
            first, *rows = shown.replace("\n          ", " ").splitlines()
            words.append({"first": form(first), **{
                label: form(value) for label, value in (row.split(None, 1) for row in rows if row)}})
        printed, seen = words
        for row in printed, seen:   # with its number of members, whichever comes first
            row["Members"] = sorted({"HOST", *row["Members"].split(", ")})
            row["Why"] = ""
        if printed != seen:
            raise Failed("%s, printed is %s" % (seen, printed))

    def scheduler_unit(self, text):
        """`enable` starts it with the next leadership; on the present leader it is started by hand,
        as README.md has it, and nowhere else."""
        for host in self.lan.hosts:
            self.user(host, text)
        by_hand = self.spoken("sudo systemctl start scheduler")
        self.user(self.leader(), by_hand)
        if not self.user(self.follower(), by_hand, check=False).returncode:
            raise Failed("it can be started on a follower")
        self.follows_the_leader()
        self.remove_scheduler()

    def remove_scheduler(self):
        for host in self.lan.hosts:
            self.root(host, "systemctl -q disable --now scheduler; "
                      "rm /etc/systemd/system/scheduler.service; systemctl daemon-reload")
        until("no scheduler runs", lambda: not self.scheduled())

    def command(self, text):
        """It runs until leadership passes on."""
        old = self.leader()
        with Terminal(old, text) as terminal:
            until("the scheduler runs on the leader only",
                  lambda: self.scheduled() == [old])
            self.move()
            status = terminal.ended()
        if status != 1 or self.scheduled():
            raise Failed("exit %d: %s" % (status, terminal.lines()))

    def cron(self, text):
        """As printed, which cron must not refuse; and once more each minute: see cron_ran()."""
        self.crontab.append(text)
        self.put("/etc/cron.d/nightly-report", text)
        self.put("/etc/cron.d/every-minute", "\n".join("* * * * * %s %d" % (
            line.split(None, 5)[5], n) for n, line in enumerate(self.crontab, 1)))

    def cron_ran(self):
        """cron has run each of these lines on each host, and the report on the leader only."""
        wanted = {str(n + 1) for n in range(len(self.crontab))}

        def reports(host):
            """Of a minute that began amid a hand-over nobody's name may be there."""
            lines = [line.split() for line in report.whole_lines(host.inside(REPORTS))]
            return [words for words in lines if len(words) == 2]
        until("cron has run all %d" % len(wanted), lambda: wanted == {
            number for host in self.lan.hosts for _, number in reports(host)}, timeout=130)

        def entries_of(host):
            return "\n".join(str(e["MESSAGE"]) for e in host.journal("-t", "CRON", "-t", "cron"))
        for host in self.lan.hosts:  # each cron in a second of its own
            until("cron of %s has run each line" % host.name, lambda: all(
                text.split(None, 6)[6] in entries_of(host) for text in self.crontab), timeout=70)
            entries = entries_of(host)
            if re.search("(?i)error|bad ", entries):
                raise Failed("cron on %s: %s" % (host.name, entries[-600:]))
            wrong = [words for words in reports(host) if words[0] != host.name]
            if wrong:
                raise Failed("%s reports while %s leads" % (host.name, wrong))

    def note(self, text):
        """The script, and what electctl says of it; then it is called."""
        for host in self.lan.hosts:
            done = self.user(host, text)
            if "10-note" not in done.stdout:
                raise Failed("electctl on %s: %s" % (host.name, done.stdout))
        self.move()
        leader = self.leader()
        note = "leader: %s leads, token %s" % (leader.name, leader.ask()["token"])
        until("the note of the leader", lambda: note in [
            e["MESSAGE"] for e in leader.journal("-t", "note")])
        self.no_hook("10-note")

    def upgrade(self, text):
        """State stays, and the other host leads before this one stops."""
        if self.leader() is not self.one:
            self.move()
        before = self.one.ask()
        daemons = ("electd", "electd-hookd")
        old = [self.one.main_pid(unit) for unit in daemons]
        self.user(self.one, text, SOURCE, timeout=300)
        if self.leader() is not self.two:
            raise Failed("it leads again")
        until("both daemons are new ones", lambda: not {None, *old} & {
            self.one.main_pid(unit) for unit in daemons})
        if self.one.ask()["node"]["id"] != before["node"]["id"]:
            raise Failed("another id")
        told = self.two.electctl("history", "--count", "4").stdout
        if "coordinator-stopped" not in told:
            raise Failed("on the other: " + told)

    def uninstall(self, text):
        """Nothing that was installed is left, and what was said to stay stays."""
        for host in self.lan.hosts:
            installed = self.user(host, "make -s install DESTDIR=/tmp/there >/dev/null; "
                                  "cd /tmp/there; find * ! -type d -printf '/%p\\n'",
                                  SOURCE).stdout.splitlines()

            def there(paths, host=host):
                return [p for p in paths if os.path.lexists(host.inside(p))]
            if len(installed) < 20 or there(installed) != installed:
                raise Failed("not installed: %s" % sorted(set(installed) - set(there(installed))))
            yours = re.findall(r"`(/[^`]+)`", pages.text_of("doc/install.md").split(text.splitlines()[0])[1])
            kept = there(yours)
            self.user(host, text, SOURCE)
            if there(installed) or there(kept) != kept or "/var/lib/electd" not in kept:
                raise Failed("left: %s, of %s: %s" % (there(installed), kept, there(kept)))
            left = host.systemctl("list-units", "--plain", "--no-legend", "electd*").stdout + \
                host.systemctl("--failed", "--plain", "--no-legend").stdout
            if left:
                raise Failed("left: " + left)

    # ---- `commands` in running text ----

    def spoken(self, text):
        """It is there, word for word."""
        if text not in spans():
            raise Failed("no page has: " + text)
        return text

    def spans_listed(self):
        """No other span begins with what a shell would run."""
        for text in spans():
            word = text.removeprefix("sudo ").split()[0]
            here = word.startswith(("tests/run.sh", "tools/")) and os.path.isfile(
                os.path.join(TREE, word))
            known = self.user(self.one, "PATH=$PATH:%s command -v -- '%s' >/dev/null" % (
                SBIN, word.replace("'", "")), check=False).returncode == 0
            if text.startswith("sudo ") or here or known:
                if text not in SPANS and not re.search(PLACE, text) and text not in (
                        "sudo systemctl start scheduler", "sudo systemctl start electd"):
                    raise Failed("not listed in SPANS: " + text)
        for text in SPANS:
            self.spoken(text)

    def spans_run(self):
        for text, wanted in SPANS.items():
            if isinstance(wanted, NotRun):
                continue
            host = self.leader()
            done = self.user(host, text)
            if not re.search(wanted, done.stdout):
                raise Failed("%s: %s" % (text, done.stdout[-600:]))
            if "machine-id" in text:
                before = host.ask()["node"]["id"]
                host.systemctl("restart", "electd")
                if host.ask()["node"]["id"] == before:
                    raise Failed("the id is the same after: " + text)
            if text in ("sudo electctl resign", "sudo electctl hold on"):
                until("another leader", lambda h=host: self.leader() is not h)
            if text == "sudo electctl resign":
                # Else it would not lead again for half a minute.
                host.systemctl("restart", "electd")
            if text == "sudo systemctl stop electd":
                self.user(host, self.spoken("sudo systemctl start electd"))
            if text == "sudo electctl hold on":
                self.user(host, self.spoken("sudo electctl hold off"))

    def watched(self):
        """`electctl watch` shows what happens; in another terminal, by lines."""
        with Terminal(self.leader(), self.spoken("electctl watch")) as watch:
            until("the state now", lambda: "leads" in "".join(watch.lines()))
            before = len(watch.lines())
            self.move()
            until("the change", lambda: "leads" in "".join(watch.lines()[before:]))

    # ---- the manual ----

    def as_shown(self):
        """What a reader copies from man(1) is what is run here."""
        for page in PAGES:
            name, _, section = page.rpartition(".")
            shown = self.user(self.one, "MANWIDTH=200 man -P cat %s %s" % (section, name)).stdout
            shown = {" ".join(line.split()) for line in shown.splitlines()}
            for text in pages.displays(page):
                for line in text.splitlines():
                    if not text.startswith("Ar ") and " ".join(line.split()) not in shown:
                        raise Failed("man %s does not show: %s" % (name, line))

    def unit(self, text):
        """A whole service, enabled as its page says."""
        self.put("/etc/systemd/system/scheduler.service", text)
        for host in self.lan.hosts:
            self.root(host, "systemctl daemon-reload; systemctl -q enable scheduler")
            done = self.root(host, "systemctl start scheduler", check=False)
            if done.returncode and host is self.leader():
                raise Failed(done.stderr)
        self.follows_the_leader()
        self.remove_scheduler()

    def unit_part(self, text):
        """The same with a [Service]."""
        self.unit(text.replace("[Install]", "[Service]\nExecStart=%s\n\n[Install]" % SCHEDULER))

    def online(self, text):
        """What is ordered so is started, and has waited for a leader."""
        host = self.leader()
        self.put("/etc/systemd/system/needs.service",
                 text + "\n[Service]\nType=oneshot\nExecStart=electctl leader", [host])
        self.root(host, "systemctl daemon-reload; systemctl start needs; "
                  "systemctl -q is-active electd-online.target; "
                  "rm /etc/systemd/system/needs.service; systemctl daemon-reload")

    def changes(self, text):
        """Each change is seen at once, and electd's end ends it."""
        host = self.leader()
        with Terminal(host, text) as watch:
            until("the state now", lambda: watch.lines() == ["snapshot"])
            self.move()
            until("the change", lambda: "follower" in watch.lines())
            host.systemctl("stop", "electd")
            watch.ended()
        host.systemctl("start", "electd")

    def subscribed(self, host, text):
        """It says the state and each change as they come, and ends with electd."""
        with Terminal(host, text) as program:
            until("the state now", lambda: "snapshot" in "".join(program.lines()))
            self.move()
            token = self.leader().ask()["token"]
            until("the change", lambda: token in "".join(program.lines()))
            host.systemctl("stop", "electd")
            status = program.ended()
            said = program.lines()
        host.systemctl("start", "electd")
        if status:
            raise Failed("exit %d: %s" % (status, said))
        return "%d lines" % len(said)

    def python(self, text):
        self.put("/srv/subscribed.py", text, [self.one])
        return self.subscribed(self.one, "exec python3 /srv/subscribed.py")

    def c_program(self, text):
        self.put("/srv/subscribed.c", text, [self.one])
        self.root(self.one, "gcc -Wall -Wextra -Werror -o /srv/subscribed /srv/subscribed.c")
        return self.subscribed(self.one, "exec /srv/subscribed")

    def varlinkctl(self, text):
        if self.one.sh("command -v varlinkctl", check=False).returncode:
            return "there is no varlinkctl here"
        return self.subscribed(self.one, "! " + text)

    def varlink(self, text):
        """The request as it is; the answers have the form of the next block."""
        answers = [answer(self.leader(), text)]
        if list(answers[0]) != ["parameters"] or not answers[0]["parameters"].get("leader"):
            raise Failed(str(answers[0])[:600])

    def varlink_answers(self, text):
        good, bad = text.splitlines()
        if not good.startswith('{"parameters":{') or not bad.startswith(
                '{"error":"io.electd.NotAllowed","parameters":{'):
            raise Failed(text)
        done = self.user(self.leader(), "electctl hold on", check=False)
        if done.returncode != 4:
            raise Failed("hold on as somebody: exit %d, %s" % (done.returncode, done.stderr))

    def firewall_by_root(self, text):
        """Said before already: it is no error to say it again."""
        firewalld, ufw = text.splitlines()
        self.root(self.one, firewalld)
        self.root(self.two, ufw)
        if "electd" not in self.one.sh("firewall-cmd --list-services").stdout or \
                "electd" not in self.two.sh("ufw status").stdout:
            raise Failed("a firewall does not know of electd")

    def all_stop(self, text):
        for host in self.lan.hosts:
            self.root(host, text)

    def all_begin(self, text):
        """A group of hosts none of which has its old state."""
        old = [os.stat(h.inside("/var/lib/electd/state")).st_ctime for h in self.lan.hosts]
        for host in self.lan.hosts:
            self.root(host, text)
        self.leader()
        new = [os.stat(h.inside("/var/lib/electd/state")).st_ctime for h in self.lan.hosts]
        if min(new) <= max(old):
            raise Failed("an old state file")

    def two_on_one(self, text):
        shown = self.root(self.one, text).stdout
        if not re.search(r'(?m)^[AB]?.*"try"', shown) or "2 hosts" not in shown:
            raise Failed(shown)

    def memory_min(self, text):
        self.root(self.one, text)
        if self.one.systemctl("show", "-P", "MemoryMin", "system.slice").stdout != "%d\n" % (16 << 20):
            raise Failed("it is not in force")

    def key(self, text):
        """On one host; the others get the file. It is used by the service, as a credential, and by
        hand, out of its folder."""
        self.root(self.one, text)
        self.root(self.one, text)
        self.root(self.two, "mkdir -p -m 700 /etc/credstore")
        run("cp", "-a", *(h.inside("/etc/credstore/electd.keys") for h in self.lan.hosts))
        for host in self.lan.hosts:
            shown = self.root(host, "stat -c %a /etc/credstore /etc/credstore/electd.keys").stdout
            if shown.split() != ["700", "600"]:
                raise Failed("rights: " + shown)
            if "not authenticated" not in host.electctl().stdout:
                raise Failed("%s has a key already" % host.name)

    def key_counts(self, text):
        for host in self.lan.hosts:
            self.root(host, text)
        leader = self.leader()
        for host in self.lan.hosts:
            shown = self.user(host, "electctl").stdout
            if re.search("Trust +authenticated", shown) is None:
                raise Failed("%s: %s" % (host.name, shown))
        # Another key than that in the folder would be refused; it is the same.
        self.root(leader, "electd --check-config")

    def configuration(self, text):
        """Put in place, every key of it is in force."""
        self.put("/etc/electd/electd.conf", text, [self.one])
        self.root(self.one, "electd --check-config")
        shown = self.root(self.one, "electd --print-config").stdout
        said = re.findall(r"(?m)^\s*(\w+ = [^;]+;)", text)
        missing = [line for line in said if not re.search(r"(?m)^\s*" + re.escape(line), shown)]
        if not said or missing:
            raise Failed("%s: %s" % (missing or text, shown))
        self.root(self.one, "rm /etc/electd/electd.conf")

    def in_force(self, text):
        """What it prints is a configuration."""
        self.put("/root/printed.conf", self.root(self.one, text).stdout, [self.one])
        self.root(self.one, "electd --config printed.conf --check-config")

    def pg_is(self, health, words):
        """That is known of it on the first host."""
        def known():
            rows = (self.one.ask("GetHealth") or {"reports": []})["reports"]
            return [(r["health"], r["words"]) for r in rows if r["name"] == "pg"]
        until("pg is %s: %s" % (health, words), lambda: known() == [(health, words)])

    def drop_in(self, unit, text):
        self.one.write("/etc/systemd/system/%s.service.d/health.conf" % unit, text + "\n")
        self.root(self.one, "systemctl daemon-reload")

    def probe(self, text):
        self.one.write("/etc/electd/probes.d/pg", "#!/bin/sh\necho fine\n", 0o755)
        self.root(self.one, text)
        self.pg_is("well", "fine")

    def other_probe(self, text):
        """Another command, at another pace."""
        self.one.write("/usr/local/bin/pg_isready", "#!/bin/sh\necho $*; exit 2\n", 0o755)
        self.drop_in("electd-probe@pg", text)
        self.root(self.one, "systemctl restart electd-probe@pg")
        self.pg_is("sick", "-q -t 1")
        self.root(self.one, "systemctl -q disable --now electd-probe@pg; electctl forget pg; rm -r"
                  " /etc/electd/probes.d /usr/local/bin/pg_isready"
                  " /etc/systemd/system/electd-probe@pg.service.d; systemctl daemon-reload")

    def reports_itself(self, text):
        self.one.write("/etc/systemd/system/pg.service", "[Service]\nExecStart=sleep infinity\n")
        self.drop_in("pg", text)
        self.root(self.one, "systemctl start pg")
        self.pg_is("well", "")
        self.one.kill("pg")
        self.pg_is("sick", "stopped: signal")

    def reported_again(self, text):
        """By an electd that has just started; which knows of no bar."""
        self.root(self.one, text)
        self.root(self.one, "systemctl restart electd")
        self.pg_is("sick", "failed")
        self.root(self.one, "systemctl start pg; systemctl restart electd")
        self.pg_is("well", "")
        self.root(self.one, "systemctl -q disable electd-report@pg; systemctl stop pg; electctl "
                  "forget pg; rm -r /etc/systemd/system/pg.service*; systemctl daemon-reload")
        self.leader()

    def standard_input(self, text):
        """What a script of `leader` reads has these keys, and values of these kinds."""
        self.hook("10-read", "#!/bin/sh\n[ $1 != leader ] || { cat; echo; } >/run/read")
        self.move()
        leader = self.leader()
        seen = json.loads(until("the script has run", lambda: "".join(
            report.whole_lines(leader.inside("/run/read")))))
        if shape(seen) != shape(json.loads(text)):
            raise Failed("%s, printed is %s" % (shape(seen), shape(json.loads(text))))
        self.no_hook("10-read")

    def floating_address(self, text):
        """The leader has it and answers there, also after a hand-over; and after one that the file
        fences off nobody has it."""
        address = re.search(r"address=(\S+)", text).group(1)
        self.hook("10-vip", text)
        for _ in range(2):
            self.move()
            leader = self.leader()
            until("%s has the address and no other" % leader.name, lambda: [
                h for h in self.lan.hosts
                if address in h.sh("ip -o address").stdout] == [leader])
            self.lan.others(leader)[0].run("ping", "-c", "1", "-W", "2", address)
        told = self.leader().electctl("check", check=False).stdout
        if "hook" in told:
            raise Failed(told)

    def verbose(self, text):
        """While that script is there."""
        shown = self.root(self.leader(), text).stdout
        if "ELECTD_HOOK=10-vip" not in shown or "ELECTD_RESULT=ok" not in shown:
            raise Failed(shown[-600:])
        self.no_hook("10-vip")
        for host in self.lan.hosts:
            self.root(host, "ip address del 192.0.2.10/24 dev eth0 2>/dev/null || :")

    # ---- names ----

    def named(self):
        """Two hosts that were named after their boot: both are called the same, check and doctor say so,
        and the command that doctor prints is followed in the units, which are not started anew."""
        units = [(host, unit) for host in self.lan.hosts for unit in ("electd", "electd-hookd")]
        before = [host.main_pid(unit) for host, unit in units]
        leader = self.leader()
        self.root(self.two, "hostnamectl set-hostname " + self.one.name)
        until("the names are equal", lambda: "have the same name" in self.one.electctl(
            "check", check=False).stdout)
        found = json.loads(self.one.electctl("--json", "doctor", check=False).stdout)["findings"]
        remedy = next(f["remedy"] for f in found if f["name"] == "name-clash")
        if REMEDY not in remedy:
            raise Failed("doctor says: " + remedy)
        self.user(self.two, REMEDY.replace("ANOTHER", self.two.name))
        for host in self.lan.hosts:
            until("%s knows both" % host.name, lambda h=host: sorted(
                m["name"] for m in h.ask()["members"]) == [h.name for h in self.lan.hosts])
        self.one.electctl("check")
        if self.leader() is not leader or before != [host.main_pid(unit) for host, unit in units]:
            raise Failed("more than a name has changed")
        self.hook("10-names", "#!/bin/sh\necho $ELECTD_NODE_NAME $(hostname) >>/run/names")
        self.root(self.two, "systemctl restart electd-hookd")
        until("a hook has the name", lambda: report.whole_lines(self.two.inside("/run/names"))[-1:] ==
              ["%s %s" % ((self.two.name,) * 2)])
        self.no_hook("10-names")

    def simulated(self, text):
        """In the source, where the stories are."""
        self.user(self.one, text, SOURCE, timeout=300)


class Terminal:
    """Another one, in which the user runs what does not end, or not soon."""

    def __init__(self, host, text):
        self.path = os.path.join(host.dir, "terminal")
        with open(self.path, "w") as output:
            self.process = subprocess.Popen(
                ["nsenter", "-t", str(host.leader), "-a", "runuser", "-u", USER, "--", "env", "-i",
                 "-C", "/home/" + USER, "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin",
                 "bash", "-ec", text],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def lines(self):
        with open(self.path) as f:
            return f.read().splitlines()

    def ended(self):
        """Its exit status."""
        return self.process.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        """nsenter itself has to end after what it started: nobody else would wait for that."""
        while self.process.poll() is None:
            with open("/proc/%d/task/%d/children" % ((self.process.pid,) * 2)) as f:
                for pid in f.read().split():
                    os.kill(int(pid), 9)
            try:
                self.process.wait(0.1)
            except subprocess.TimeoutExpired:
                pass


def answer(host, text):
    """electd's reply to a request as it stands there, and a NUL byte."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(hosts.PATIENCE)
        s.connect(host.inside("/run/electd/io.electd"))
        s.sendall(text.encode() + b"\0")
        data = b""
        while not data.endswith(b"\0"):
            data += s.recv(65536) or b"\0"
    return json.loads(data[:-1])


def copy_tree(where):
    """The source as a fresh clone has it: nothing that autoreconf, configure or make have left."""
    os.mkdir(where)
    git = ["git", "-c", "safe.directory=*", "-C", TREE]
    if subprocess.run([*git, "rev-parse"], check=False, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        made = ["configure", "Makefile", "Makefile.in", "aclocal.m4", "autom4te.cache", "build-aux",
                "config.log", "config.status"]
        pack = ["tar", "-C", TREE, "--exclude=*.o", "--exclude=*.a", "--anchored",
                *("--exclude=./" + name for name in made), "-cf", "-", "."]
        names = None
    else:
        names = subprocess.run([*git, "ls-files", "-z", "--cached", "--others",
                                "--exclude-standard"], check=True,
                               stdout=subprocess.PIPE).stdout.split(b"\0")
        names = b"\0".join(sorted({n for n in names if n and os.path.lexists(
            os.path.join(TREE.encode(), n))}))
        pack = ["tar", "-C", TREE, "--null", "--files-from=-", "-cf", "-"]
    packed = subprocess.run(pack, check=True, input=names, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-C", where, "-xf", "-"], check=True, input=packed)


# Page, how the block begins, what is done: in this order.
RULES = [
    *(("README.md", begin, NotRun("tests/package/newcomer.py types it")) for begin in (
        "sudo tools/demo.sh", "sudo tools/install.sh", "sudo tests/run.sh")),
    ("README.md", "sudo apt-get install ./", NotRun("tests/package/booted.py types it")),
    ("doc/install.md", "sudo apt-get install gcc", "install"),
    ("README.md", "$ electctl", "sample"),
    ("README.md", "0 3 * * *", "cron"),
    ("electctl.1", "0 3 * * * root electctl -q is-leader", "cron"),
    ("electctl.1", "0 3 * * * root electctl -q run", "cron"),
    ("README.md", "sudo firewall-cmd", "firewall"),
    ("README.md", "sudo tee /etc/systemd/system/scheduler.service", "scheduler_unit"),
    ("README.md", "sudo electctl run", "command"),
    ("README.md", "sudo install -D -m 755 /dev/stdin", "note"),
    ("electctl.1", "[Unit]\n# electd may", "unit"),
    ("electctl.1", "electctl --plain watch", "changes"),
    ("electd.8", '{"method"', "varlink"),
    ("electd.8", '{"parameters"', "varlink_answers"),
    ("electd.8", "firewall-cmd", "firewall_by_root"),
    ("electd.8", 'cd "$(mktemp -d)"', "two_on_one"),
    ("electd.8", "systemctl set-property", "memory_min"),
    ("electd.8", "electd 0.1.0: crash", NotRun("lines of the journal; crash.py reads such")),
    ("electd.8", "addr2line", NotRun("wants a package, and a crash")),
    ("electd.conf.5", "mkdir -p -m 700 /etc/credstore", "key"),
    ("electd.conf.5", "systemctl restart electd", "key_counts"),
    *(("electd.conf.5", begin, "configuration") for begin in (
        'domain = "databases"', "priority = 200;         # 100 on the other", 'domain = "render"',
        'network: {\n        interfaces = [ "eth0", "eth1" ]', "node: {\n        address",
        'network: {\n        peers = [ "10.0.1.11"', 'network: {\n        interfaces = [ "br0"',
        "node: {\n        name", 'network: {\n        peers = [ "192.0.2.11"')),
    ("electd.conf.5", "electd --print-config", "in_force"),
    *(("electd-security.7", begin, NotRun("keys.py does")) for begin in (
        "hosts=", "(umask 077; electctl", "(umask 077; ssh", "each \"mkdir", "put()")),
    ("electd-health.7", "systemctl enable --now electd-probe@pg", "probe"),
    ("electd-health.7", "[Service]\nExecStart=\nExecStart=electctl probe", "other_probe"),
    ("electd-health.7", "[Service]\nExecStartPost", "reports_itself"),
    ("electd-health.7", "systemctl enable electd-report@pg", "reported_again"),
    ("electd-health.7", "import json", NotRun("examples/health.py runs it")),
    ("electd-health.7", "#include", NotRun("examples/health.py compiles and runs it")),
    ("electd-hooks.7", "[Unit]\nBindsTo", "unit_part"),
    ("electd-hooks.7", "[Unit]\nWants", "online"),
    ("electd-hooks.7", "Ar script event domain", NotRun("names of arguments")),
    ("electd-hooks.7", '{ "schema"', "standard_input"),
    ("electd-hooks.7", "[Unit]\nDescription", "unit"),
    ("electd-hooks.7", "#!/bin/sh", "floating_address"),
    ("electd-hooks.7", "journalctl", "verbose"),
    ("electd-protocol.7", "tshark", NotRun("dissector.py shows captures by that script")),
    ("electd-varlink.7", "# A holder", NotRun("varlink.py runs it")),
    ("electd-varlink.7", "import json", "python"),
    ("electd-varlink.7", "#include", "c_program"),
    ("electd-varlink.7", "package main", NotRun("Go is not part of the image")),
    ("electd-varlink.7", "varlinkctl", "varlinkctl"),
    ("electsim.1", "electsim run --seed 1", "simulated"),
    ("electsim.1", "electsim run --seed 7", "simulated"),
    ("electsim.1", "electsim run --algorithm omega", "simulated"),
    ("electsim.1", "electsim run --algorithm frederickson-lynch", "simulated"),
    ("electsim.1", "electsim story", "simulated"),
    ("electsim.1", "electsim story --trace", "simulated"),
    ("electsim.1", "electsim compare", "simulated"),
    # Last: numbers far apart are told for a while, and then there is an electd no more.
    ("electd.8", "systemctl stop electd", "all_stop"),
    ("electd.8", "rm /var/lib/electd/state", "all_begin"),
    ("doc/install.md", "autoreconf -i && ./configure", "upgrade"),
    ("doc/install.md", "sudo systemctl disable", "uninstall"),
]

# `commands` in running text: what they print, on the leader; or why they are not run here.
SPANS = {
    **{text: NotRun("tests/package/newcomer.py types it") for text in (
        "tools/install.sh", "sudo tools/install.sh", "sudo tools/install.sh --packages",
        "tools/install.sh --stop")},
    **{text: NotRun("tests/package/booted.py does it") for text in (
        "sudo apt-get install", "sudo apt-get remove electd", "sudo apt-get purge electd")},
    "electd": NotRun("names a package"),
    "electsim": NotRun("names a program"),
    "electctl run": NotRun("it wants a command; see command()"),
    "electctl": r'This host, .*, leads "default"',
    "electctl status": r'This host, .*, leads "default"',
    "electctl why": r"leads",
    "electctl history": r"leader",
    "electctl members": r"host1.*\n*.*host2|host2.*\n*.*host1",
    "electctl check": r"^OK",
    "sudo electctl doctor": r"nothing is wrong here; 1 other host hears",
    "electctl health": r"nothing was reported",
    "electctl keys": NotRun("it wants a verb of its own; booted/keys.py does them"),
    "electctl keys list": r"",
    "electctl watch": NotRun("does not end; see watched()"),
    "systemctl status electd": r"active \(running\)",
    "systemctl status electd-hookd": r"active \(running\)",
    "sudo systemctl stop electd": r"",      # and start, in spans_run()
    "sudo systemctl restart electd": r"",
    "sudo systemctl restart electd-hookd": r"",
    "sudo electctl reload": r"",
    "ip -br address show dev eth0": r"192\.0\.2\.",
    "electctl doctor": NotRun("see below, by root"),
    "systemctl reload electd": NotRun("life.py does, by root"),
    "systemctl isolate": NotRun("units.py does"),
    "systemctl stop": NotRun("units.py does"),
    **{text: NotRun("the journal is for root: see below") for text in (
        "journalctl -t electd-hookd -n 20", "journalctl -t electd-hookd -n 50",
        "journalctl -u electd-leader.target")},
    "free -m": NotRun("shows no process of electd"),
    "sudo sysctl -w net.ipv4.udp_l3mdev_accept=1": NotRun("a container may not"),
    "sudo electctl hooks list": r"",
    "sudo journalctl -x -t electd": r"Nothing needs to be done",
    "sudo journalctl -t electd": r"leads",
    "sudo journalctl -t electd-hookd": r"leader",
    "sudo electctl resign": r"",
    "sudo electctl hold on": r"",
    "sudo electctl hold off": r"",
    "sudo rm /etc/machine-id && sudo systemd-machine-id-setup": r"",
}


def rules():
    """[(page, beginning, what is done, text)], and what has no rule or no block."""
    left, found, wrong = blocks(), [], []
    for page, begin, action in RULES:
        block = next(((p, text) for p, text in left if p == page and text.startswith(begin)), None)
        if not block:
            wrong.append("no block of %s begins with %s" % (page, begin))
            continue
        left.remove(block)
        found.append((page, begin, action, block[1]))
    wrong += ["no rule for this block of %s: %s" % (page, text) for page, text in left]
    return found, wrong


def image():
    """As image.sh takes it: a line of doc/install.md installs what building needs."""
    line = next((text for _, text in blocks() if text.startswith("sudo apt-get install gcc")),
                "")
    return "--include", ",".join(INCLUDED), "--command", line.split("\nautoreconf")[0]


def main():
    found, wrong = rules()
    if "--list" in sys.argv[1:]:
        for page, begin, action, _ in found:
            print("%s: %s: %s" % (page, begin.split("\n")[-1], "not run: " + action if isinstance(
                action, NotRun) else action))
        print("\n".join(wrong))
        sys.exit(1 if wrong else 0)
    if "--image" in sys.argv[1:]:
        print(hosts.image(image()))
        return
    hosts.setup(*image())
    result = report.Report()
    result.result("every block has its rule", not wrong, "\n".join(wrong))
    with hosts.Lan(2, installed=False) as lan:
        printed = Printed(lan)
        printed.prepare()
        for page, begin, action, text in found:
            if isinstance(action, NotRun):
                continue
            if action == "all_stop":
                for name in "as_shown", "spans_listed", "watched", "named", "spans_run", "cron_ran":
                    result.attempt("Markdown, " + name.replace("_", " "), getattr(printed, name))
            before = result.failed
            result.attempt("%s, %s" % (page, begin.split("\n")[-1]), getattr(printed, action), text)
            if action == "install" and result.failed > before:
                break
    result.exit()


if __name__ == "__main__":
    main()
