#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every command of README.md, doc/install.md and the manual as printed, on booted hosts.

printed.py [--list | --image]: two hosts without electd, and a user who may use sudo. The blocks are
taken from the pages byte for byte: indented blocks and `commands` of the Markdown pages, displays
of man/*. The user types the Markdown pages, root the manual. First electd is built and installed as
in doc/install.md: apt-get in the image (image.sh), the rest on the hosts. RULES has for each block,
in this order, what is done with it, or why it is not run here. A block without a rule is a failure,
and so is a rule without a block. The blocks of the manual are also compared with the output of
man(1), from which a user copies a command."""
import json
import os
import re
import subprocess
import sys

import hosts
from hosts import Failed, SBIN, check, now, read, run, until
import pages
import report

USER = "carol"
HOME = "/home/" + USER
SOURCE = HOME + "/electd"
MARKDOWN = ("README.md", "doc/install.md")
PAGES = sorted(name for name in os.listdir(os.path.join(pages.TREE, "man")) if name[-1] in "13578")
# Packages that the pages presuppose, or offer as a choice.
INCLUDED = "libpam-systemd,sudo,cron,firewalld,ufw,iputils-arping,iputils-ping,man-db"
SCHEDULER = "/usr/local/bin/scheduler"
REPORT = "/usr/local/bin/nightly-report"
REPORTS = "/var/tmp/nightly-report"
REMEDY = "sudo hostnamectl set-hostname ANOTHER"
# Placeholders of the pages, as in "systemctl status NAME", which the reader replaces.
PLACE = r"\b[A-Z]{4,}\b"
# Copies the source as in a fresh clone, without the output of autoreconf, configure or make.
COPY = """
cd "$1"
git() { command git -c safe.directory=* "$@"; }
if git rev-parse >/dev/null 2>&1; then
    comm -z -23 <(git ls-files -z -co --exclude-standard | sort -zu) <(git ls-files -zd | sort -z) |
        tar --null -T - -cf -
else
    tar --exclude='*.o' --exclude='*.a' --anchored --exclude=./{configure,Makefile,Makefile.in} \\
        --exclude=./{aclocal.m4,autom4te.cache,build-aux,config.log,config.status} -cf - .
fi | tar -C "$0" -xf -
"""


class NotRun(str):
    """The reason why a block is not run here."""


# ---- the pages -----------------------------------------------------------------------------------

def spans():
    """Returns the text between `backticks` in the running text of the Markdown pages, and the
    commands of electd-troubleshooting(7), which are .Ic or .Ql."""
    text = re.sub(r"(?m)^    .*\n", "", "".join(map(pages.text_of, MARKDOWN)))
    found = [" ".join(s.split()) for s in re.findall(r"`([^`]+)`", text)]
    found += re.findall(r"(?m)^\.(?:It )?(?:Ql|Ic) (?:\( )?(.*?)(?: [.,;:)])*$",
                        pages.text_of("man", "electd-troubleshooting.7"))
    return list(dict.fromkeys(found))


def spoken(text):
    check(text in spans(), "no page has: " + text)
    return text


def blocks():
    return [(page, text) for page in MARKDOWN for text in pages.indented(pages.text_of(page))] + [
        (page, text) for page in PAGES for text in pages.displays(page)]


def shape(value):
    if isinstance(value, dict):
        return {key: shape(v) for key, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value[:1]]
    return type(value).__name__


def form(text):
    """Replaces everything that differs between hosts and runs."""
    text = re.sub(r"\b(host|web|db)\d\b", "HOST", text)
    text = re.sub(r"\b(\d+ min )?\d[\d.]* (s|ms|min)\b", "TIME", text)
    return re.sub(r"\d[\d.:-]*\d|\d", "N", text)


def login(folder):
    """Returns the prefix of a command by the user after a login."""
    return ("runuser", "-u", USER, "--", "env", "-i", "-C", folder, "HOME=" + HOME, "USER=" + USER,
            "LANG=C.UTF-8", "PATH=/usr/local/bin:/usr/bin:/bin", "bash", "-ec")


def user(host, text, folder=HOME, **how):
    """The user types it. Long commands run at a lower priority, because hosts have timings."""
    return host.run("nice", "-n", "15" if "timeout" in how else "0", *login(folder), text, **how)


class Printed:
    def __init__(self, lan):
        self.lan = lan
        self.one, self.two = lan.hosts
        self.crontab = []

    def each(self, text):
        for host in self.lan.hosts:
            host.typed(text)

    def put(self, path, text, some=None, mode=0o644):
        for host in some or self.lan.hosts:
            hosts.write(text + "\n", host.inside(path))
            os.chmod(host.inside(path), mode)

    def hook(self, name, text):
        self.put(hosts.HOOKS + "/" + name, text, mode=0o755)

    def no_hook(self, name):
        self.each("rm %s/%s" % (hosts.HOOKS, name))

    def leader(self):
        try:
            return self.lan.settle()
        except Failed as error:
            raise Failed("%s: %s" % (error, "".join(
                h.electctl(check=False).stdout for h in self.lan.hosts))) from None

    def follower(self):
        return self.lan.others(self.leader())[0]

    def move(self):
        """Makes another host the leader; the old one may lead again at once."""
        old = self.leader()
        old.electctl("hold", "on")
        try:
            until("another leader", lambda: self.leader() is not old)
        finally:
            old.electctl("hold", "off")

    def scheduled(self):
        """The hosts on which the scheduler runs, because it holds a lock."""
        return [h for h in self.lan.hosts
                if h.sh("flock -n /run/scheduler true", check=False).returncode]

    def scheduled_on_leader(self):
        until("it runs on the leader only", lambda: self.scheduled() == [self.lan.leader()])

    def prepare(self):
        """Makes two hosts with a user and the programs of the examples, without electd."""
        os.mkdir(self.lan.dir + "/shared")
        for host in self.lan.hosts:
            host.write("/etc/sudoers.d/all", "%s ALL=(ALL) NOPASSWD: ALL\n" % USER, 0o440)
            run("chroot", host.root, "useradd", "-m", "-s", "/bin/bash", USER)
            run("systemctl", "--root", host.root, "-q", "disable", "firewalld", "ufw")
            host.write(SCHEDULER, "#!/bin/sh\nexec flock /run/scheduler sleep infinity\n", 0o755)
            host.write(REPORT, "#!/bin/sh\necho \"$(electctl leader) $*\" >>%s\n" % REPORTS, 0o755)
            os.mkdir(host.root + "/srv/shared")
            run("mount", "--bind", self.lan.dir + "/shared", host.root + "/srv/shared")
        copy_tree(self.one.root + SOURCE)
        run("chroot", self.one.root, "chown", "-R", USER + ":", SOURCE)
        self.lan.boot()

    # ---- Markdown ----

    def install(self, text):
        """Runs all of it on the first host. The second host gets a copy of the folder."""
        begin = now()
        user(self.one, text, SOURCE, timeout=300)
        built = now() - begin
        run("cp", "-a", self.one.root + SOURCE, self.two.root + SOURCE)
        user(self.two, text[text.index("sudo make install"):], SOURCE)
        self.leader()
        return "%.0f s from the source to a running electd" % built

    def firewall(self, text):
        """Runs each line on the host that has that program; before, the host hears no other. electd
        is stopped until the firewall filters, because the firewall would accept packets to an
        earlier sender as answers. systemd reports firewalld as started before it filters;
        firewall-cmd waits until it does."""
        block = "systemctl start firewalld; firewall-cmd --state", "ufw --force enable"
        for host, blocked, line in zip(self.lan.hosts, block, text.splitlines()):
            host.typed("systemctl stop electd; %s; systemctl start electd" % blocked)
            try:
                until("%s is alone behind its firewall" % host.name, lambda h=host: [
                    m["name"] for m in (h.ask() or {}).get("members", [])] == [h.name] and h.leads())
            finally:
                user(host, line)
            self.leader()

    def firewall_by_root(self, text):
        """The rules exist already: adding them again is no error."""
        firewalld, ufw = text.splitlines()
        check("electd" in self.one.typed(firewalld + "\nfirewall-cmd --list-services").stdout and
              "electd" in self.two.typed(ufw + "\nufw status").stdout, "a firewall lacks electd")

    def sample(self, text):
        """The output of electctl has this form."""
        command, wanted = text.split("\n", 1)
        words = []
        for shown in wanted, user(self.follower(), command.removeprefix("$ ")).stdout:
            first, *rows = shown.replace("\n          ", " ").splitlines()
            words.append({"first": form(first), **{
                label: form(value) for label, value in (row.split(None, 1) for row in rows if row)}})
        for row in words:   # the number of members, and their names in any order
            row["Members"] = sorted({"HOST", *row["Members"].split(", ")})
            row["Why"] = ""
        check(words[0] == words[1], "printed is %s, shown %s", *words)

    def has_alone(self, leader, address):
        until("%s has the address and no other" % leader.name, lambda: [
            h for h in self.lan.hosts if address in h.sh("ip -o address").stdout] == [leader])

    def address(self, text):
        """Only the leader has it and answers there, also after a hand-over; without it in the
        configuration, nobody has it."""
        address = re.search(r'"(.+)"', text).group(1)
        for host in self.lan.hosts:
            user(host, text)
        for _ in range(2):
            leader = self.leader()
            self.has_alone(leader, address)
            self.lan.others(leader)[0].run("ping", "-c", "1", "-W", "2", address)
            self.move()
        self.each("rm /etc/electd/electd.conf.d/address.conf; systemctl reload electd")
        until("no host has it", lambda: not any(
            address in h.sh("ip -o address").stdout for h in self.lan.hosts))

    def scheduler_unit(self, text):
        """`enable` starts the scheduler with the next leadership. On the present leader, and
        nowhere else, it is started by hand, as in README.md."""
        for host in self.lan.hosts:
            user(host, text)
        done = self.unit_follows(spoken("sudo systemctl start scheduler"))
        check(done.returncode, "it can be started on a follower")

    def unit_follows(self, start):
        """The scheduler runs only on the leader, also after a hand-over, and is removed then.
        Returns the result of the attempt to start it on a follower."""
        user(self.leader(), start)
        done = user(self.follower(), start, check=False)
        for _ in range(2):
            self.scheduled_on_leader()
            self.move()
        self.each("systemctl -q disable --now scheduler; "
                  "rm /etc/systemd/system/scheduler.service; systemctl daemon-reload")
        until("no scheduler runs", lambda: not self.scheduled())
        return done

    def command(self, text):
        with Terminal(self.leader(), text) as terminal:
            self.scheduled_on_leader()
            self.move()
            status = terminal.wait(hosts.PATIENCE)
        check(status == 1 and not self.scheduled(), "exit %d: %s", status, terminal.text())

    def cron(self, text):
        """cron must accept the line as printed; a copy runs each minute, see cron_ran()."""
        self.crontab.append(text)
        self.put("/etc/cron.d/nightly-report", text)
        self.put("/etc/cron.d/every-minute", "\n".join("* * * * * %s %d" % (
            line.split(None, 5)[5], n) for n, line in enumerate(self.crontab, 1)))

    def cron_ran(self):
        """cron has run each of these lines on each host, and the report only on the leader."""
        wanted = {str(n + 1) for n in range(len(self.crontab))}

        def reports(host):
            """In a minute that began during a hand-over, the leader's name may be missing."""
            lines = [line.split() for line in report.whole_lines(host.inside(REPORTS))]
            return [words for words in lines if len(words) == 2]
        until("cron has run all %d" % len(wanted), lambda: wanted == {
            number for host in self.lan.hosts for _, number in reports(host)}, timeout=130)
        for host in self.lan.hosts:  # each cron runs at a second of its own
            def entries(host=host):
                return "\n".join(str(e["MESSAGE"]) for e in host.journal("-t", "CRON", "-t", "cron"))
            until("cron of %s has run each line" % host.name, lambda e=entries: all(
                text.split(None, 6)[6] in e() for text in self.crontab), timeout=70)
            check(not re.search("(?i)error|bad ", entries()), "cron on %s: %s", host.name, entries())
            wrong = [words for words in reports(host) if words[0] != host.name]
            check(not wrong, "%s reports while %s leads", host.name, wrong)

    def note(self, text):
        """electctl lists the script, and it is called."""
        for host in self.lan.hosts:
            check("10-note" in user(host, text).stdout, "electctl does not list it")
        self.move()
        leader = self.leader()
        note = "leader: %s leads, token %s" % (leader.name, leader.ask()["token"])
        until("the note of the leader", lambda: note in [
            e["MESSAGE"] for e in leader.journal("-t", "note")])
        self.no_hook("10-note")

    def upgrade(self, text):
        """The state is kept, and the other host leads before this one stops."""
        if self.leader() is not self.one:
            self.move()
        daemons = ("electd", "electd-hookd")
        before, old = self.one.ask(), [self.one.main_pid(unit) for unit in daemons]
        user(self.one, text, SOURCE, timeout=300)
        check(self.leader() is self.two, "it leads again")
        until("both daemons are new ones", lambda: not {None, *old} & {
            self.one.main_pid(unit) for unit in daemons})
        check(self.one.ask()["node"]["id"] == before["node"]["id"], "another id")
        told = self.two.electctl("history", "--count", "4").stdout
        check("coordinator-stopped" in told, "on the other: %s", told)

    def uninstall(self, text):
        """No installed file is left, except the files that the page says are kept."""
        said = pages.text_of("doc/install.md").split(text.splitlines()[0])[1]
        for host in self.lan.hosts:
            installed = user(host, "make -s install DESTDIR=/tmp/there >/dev/null; cd /tmp/there; "
                             "find * ! -type d -printf '/%p\\n'", SOURCE).stdout.splitlines()

            def there(paths, host=host):
                return [p for p in paths if os.path.lexists(host.inside(p))]
            check(len(installed) > 20 and there(installed) == installed, "not installed: %s",
                  sorted(set(installed) - set(there(installed))))
            kept = there(re.findall(r"`(/[^`]+)`", said))
            user(host, text, SOURCE)
            check(not there(installed) and there(kept) == kept and "/var/lib/electd" in kept,
                  "left: %s, of %s: %s", there(installed), kept, there(kept))
            left = host.sh("systemctl list-units --plain --no-legend 'electd*'; "
                           "systemctl --failed --plain --no-legend").stdout
            check(not left, "left: %s", left)

    # ---- `commands` in running text ----

    def spans_listed(self):
        """Spans that begin with a command are in SPANS, and the texts of SPANS are spans."""
        know = "PATH=$PATH:%s; command -v -- '%s' >/dev/null"
        for text in spans():
            word = text.removeprefix("sudo ").split()[0]
            command = text.startswith("sudo ") or word.startswith(("tests/run.sh", "tools/")) and \
                os.path.isfile(os.path.join(pages.TREE, word)) or not user(
                    self.one, know % (SBIN, word.replace("'", "")), check=False).returncode
            check(not command or text in SPANS or re.search(PLACE, text) or text in (
                "sudo systemctl start scheduler", *UNDONE.values()), "not listed in SPANS: %s", text)
        for text in SPANS:
            spoken(text)

    def spans_run(self):
        for text, wanted in SPANS.items():
            if isinstance(wanted, NotRun):
                continue
            host = self.leader()
            before = host.ask()["node"]["id"]
            shown = user(host, text).stdout
            check(re.search(wanted, shown), "%s: %s", text, shown[-600:])
            if text in ("sudo electctl resign", "sudo electctl hold on"):
                until("another leader", lambda h=host: self.leader() is not h)
            if text in UNDONE:
                user(host, spoken(UNDONE[text]))
            check("machine-id" not in text or host.ask()["node"]["id"] != before,
                  "the id is the same after: %s", text)

    def watched(self):
        """`electctl watch` shows a change, in another terminal."""
        with Terminal(self.leader(), spoken("electctl watch")) as watch:
            until("the state now", lambda: "leads" in watch.text())
            before = len(watch.text())
            self.move()
            until("the change", lambda: "leads" in watch.text()[before:])

    # ---- the manual ----

    def as_shown(self):
        """man(1) must show each line that a reader copies and that is run here."""
        for page in PAGES:
            name, _, section = page.rpartition(".")
            shown = user(self.one, "MANWIDTH=200 man -P cat %s %s" % (section, name)).stdout
            shown = {" ".join(line.split()) for line in shown.splitlines()}
            for text in pages.displays(page):
                for line in text.splitlines():
                    check(text.startswith("Ar ") or " ".join(line.split()) in shown,
                          "man %s does not show: %s", name, line)

    def unit(self, text):
        self.put("/etc/systemd/system/scheduler.service", text)
        self.each("systemctl daemon-reload; systemctl -q enable scheduler")
        self.unit_follows("sudo systemctl start scheduler")

    def unit_part(self, text):
        """The same with a [Service]."""
        self.unit(text.replace("[Install]", "[Service]\nExecStart=%s\n\n[Install]" % SCHEDULER))

    def online(self, text):
        """A unit with this order is started, and has waited for a leader."""
        needs = "/etc/systemd/system/needs.service"
        self.put(needs, text + "\n[Service]\nType=oneshot\nExecStart=electctl leader", [self.one])
        self.leader()
        self.one.typed("systemctl daemon-reload; systemctl start needs; systemctl -q is-active "
                       "electd-online.target; rm %s; systemctl daemon-reload" % needs)

    def watched_by(self, host, text, then=lambda leader: leader.ask()["token"]):
        """The program prints the state and each change, and ends with electd."""
        with Terminal(host, text) as program:
            until("the state now", lambda: "snapshot" in program.text())
            self.move()
            change = then(self.leader())
            until("the change", lambda: change in program.text())
            host.systemctl("stop", "electd")
            status = program.wait(hosts.PATIENCE)
        host.systemctl("start", "electd")
        check(not status, "exit %d: %s", status, program.text())
        return "%d lines" % len(program.text().splitlines())

    def changes(self, text):
        return self.watched_by(self.leader(), text, lambda leader: "follower")

    def program(self, text, file, command, build=":"):
        self.put(file, text, [self.one])
        self.one.typed(build)
        return self.watched_by(self.one, "exec " + command)

    def varlinkctl(self, text):
        if self.one.sh("command -v varlinkctl", check=False).returncode:
            return "there is no varlinkctl here"
        return self.watched_by(self.one, "! " + text)

    def varlink(self, text):
        error, parameters = self.leader().request(text, timeout=hosts.PATIENCE)
        check(not error and parameters.get("leader"), "%s %s", error, parameters)

    def varlink_answers(self, text):
        good, bad = text.splitlines()
        check(good.startswith('{"parameters":{') and bad.startswith(
            '{"error":"io.electd.NotAllowed","parameters":{'), "printed: %s", text)
        done = user(self.leader(), "electctl hold on", check=False)
        check(done.returncode == 4, "hold on as somebody: exit %d, %s", done.returncode, done.stderr)

    def all_begin(self, text):
        """The hosts form a group, although none of them has its old state."""
        def written():
            return [os.stat(h.inside("/var/lib/electd/state")).st_ctime for h in self.lan.hosts]
        old = written()
        self.each(text)
        self.leader()
        check(min(written()) > max(old), "an old state file")

    def shows(self, text, wanted, after=""):
        """Root types it on the first host. Its output, or that of `after`, must match `wanted`."""
        shown = self.one.typed(text + "\n" + after).stdout
        check(re.search(wanted, shown), "%s", shown)

    def key(self, text):
        """Makes the key on one host; the others get the file. The service uses it as a credential,
        and a command by hand from its folder."""
        self.one.typed(text)
        self.one.typed(text)
        self.two.typed("mkdir -p -m 700 /etc/credstore")
        run("cp", "-a", *(h.inside("/etc/credstore/electd.keys") for h in self.lan.hosts))
        for host in self.lan.hosts:
            shown = host.typed("stat -c %a /etc/credstore /etc/credstore/electd.keys").stdout
            check(shown == "700\n600\n", "rights: %s", shown)
            check("not authenticated" in host.electctl().stdout, "%s has a key already", host.name)

    def key_counts(self, text):
        self.each(text)
        leader = self.leader()
        for host in self.lan.hosts:
            shown = user(host, "electctl").stdout
            check(re.search("Trust +authenticated", shown), "%s: %s", host.name, shown)
        # A key other than that in the folder would be refused; this one is the same.
        leader.typed("electd --check-config")

    def configuration(self, text):
        """electd accepts the configuration, and every key of it takes effect."""
        self.put("/etc/electd/electd.conf", text, [self.one])
        self.one.typed("electd --check-config")
        shown = self.one.typed("electd --print-config; rm /etc/electd/electd.conf").stdout
        said = re.findall(r"(?m)^\s*(\w+ = [^;]+;)", text)
        missing = [line for line in said if not re.search(r"(?m)^\s*" + re.escape(line), shown)]
        check(said and not missing, "%s of %s: %s", missing, text, shown)

    def pg(self, text, health, words):
        """Root types it on the first host, and electd must then have this report of pg."""
        self.one.typed(text)

        def known():
            rows = (self.one.ask("GetHealth") or {"reports": []})["reports"]
            return [(r["health"], r["words"]) for r in rows if r["name"] == "pg"]
        until("pg is %s: %s" % (health, words), lambda: known() == [(health, words)])

    def service(self, name, text):
        self.one.write("/etc/systemd/system/%s" % name, text + "\n")
        self.one.typed("systemctl daemon-reload")

    def probe(self, text):
        self.one.write("/etc/electd/probes.d/pg", "#!/bin/sh\necho fine\n", 0o755)
        self.pg(text, "well", "fine")

    def other_probe(self, text):
        """Another command, at another interval."""
        self.one.write("/usr/local/bin/pg_isready", "#!/bin/sh\necho $*; exit 2\n", 0o755)
        self.service("electd-probe@pg.service.d/other.conf", text)
        self.pg("systemctl restart electd-probe@pg", "sick", "-q -t 1")
        self.one.typed("systemctl -q disable --now electd-probe@pg; electctl forget pg; rm -r"
                       " /etc/electd/probes.d /usr/local/bin/pg_isready"
                       " /etc/systemd/system/electd-probe@pg.service.d; systemctl daemon-reload")

    def reports_itself(self, text):
        self.service("pg.service", "[Service]\nExecStart=sleep infinity")
        self.service("pg.service.d/reports.conf", text)
        self.pg("systemctl start pg", "well", "")
        self.pg("systemctl kill -s KILL pg", "sick", "stopped: signal")

    def reported_again(self, text):
        """A restarted electd gets the report again, and the host may lead."""
        self.pg(text + "\nsystemctl restart electd", "sick", "failed")
        self.pg("systemctl start pg; systemctl restart electd", "well", "")
        self.one.typed("systemctl -q disable electd-report@pg; systemctl stop pg; electctl "
                       "forget pg; rm -r /etc/systemd/system/pg.service*; systemctl daemon-reload")
        self.leader()

    def standard_input(self, text):
        """The standard input of a `leader` script has these keys, with values of these types."""
        self.hook("10-read", "#!/bin/sh\n[ $1 != leader ] || { cat; echo; } >/run/read")
        self.move()
        leader = self.leader()
        seen = shape(json.loads(until("the script has run", lambda: "".join(
            report.whole_lines(leader.inside("/run/read"))))))
        check(seen == shape(json.loads(text)), "read: %s, printed is %s", seen, text)
        self.no_hook("10-read")

    def floating_address(self, text):
        """Only the leader has the address and answers there, also after hand-overs; after one that
        the script fences off, no host has it."""
        address = re.search(r"address=(\S+)", text).group(1)
        self.hook("10-vip", text)
        for _ in range(2):
            self.move()
            leader = self.leader()
            self.has_alone(leader, address)
            self.lan.others(leader)[0].run("ping", "-c", "1", "-W", "2", address)
        told = self.leader().electctl("check", check=False).stdout
        check("hook" not in told, "%s", told)

    def verbose(self, text):
        """The output while that script exists."""
        shown = self.leader().typed(text).stdout
        check("ELECTD_HOOK=10-vip" in shown and "ELECTD_RESULT=ok" in shown, "%s", shown[-600:])
        self.no_hook("10-vip")
        self.each("ip address del 192.0.2.10/24 dev eth0 2>/dev/null || :")

    def named(self):
        """Two hosts get the same name after their boot: check and doctor report that, the command
        that doctor prints corrects it, and the daemons are not restarted."""
        def pids():
            return [h.main_pid(unit) for h in self.lan.hosts for unit in ("electd", "electd-hookd")]
        before, leader = pids(), self.leader()
        self.two.typed("hostnamectl set-hostname " + self.one.name)
        until("the names are equal", lambda: "have the same name" in self.one.electctl(
            "check", check=False).stdout)
        found = json.loads(self.one.electctl("--json", "doctor", check=False).stdout)["findings"]
        remedy = next(f["remedy"] for f in found if f["name"] == "name-clash")
        check(REMEDY in remedy, "doctor says: %s", remedy)
        user(self.two, REMEDY.replace("ANOTHER", self.two.name))
        for host in self.lan.hosts:
            until("%s knows both" % host.name, lambda h=host: sorted(
                m["name"] for m in h.ask()["members"]) == [h.name for h in self.lan.hosts])
        self.one.electctl("check")
        check(self.leader() is leader and before == pids(), "more than a name has changed")
        self.hook("10-names", "#!/bin/sh\necho $ELECTD_NODE_NAME $(hostname) >>/run/names")
        self.two.typed("systemctl restart electd-hookd")
        until("a hook has the name", lambda: report.whole_lines(self.two.inside("/run/names"))[-1:] ==
              ["%s %s" % ((self.two.name,) * 2)])
        self.no_hook("10-names")

    def simulated(self, text):
        user(self.one, text, SOURCE, timeout=300 * len(text.splitlines()))


class Terminal(subprocess.Popen):
    """Another terminal, in which the user runs a command that does not end, or not soon."""

    def __init__(self, host, text):
        self.path = os.path.join(host.dir, "terminal")
        with open(self.path, "w") as output:
            super().__init__(["nsenter", "-t", str(host.leader), "-a", *login(HOME), text],
                             stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    def text(self):
        return read(self.path)

    def __exit__(self, kind, value, trace):
        """nsenter must end last, because no other process would wait for its children."""
        while self.poll() is None:
            run("pkill", "-KILL", "-P", "%d" % self.pid, check=False)


def copy_tree(where):
    os.mkdir(where)
    run("bash", "-euo", "pipefail", "-c", COPY, where, pages.TREE)


# Page, what is done, and how the blocks begin; in this order.
RULES = [
    ("README.md", NotRun("tests/package/newcomer.py types it"),
     "sudo tools/demo.sh", "sudo tools/install.sh", "sudo tests/run.sh"),
    ("README.md", NotRun("tests/package/booted.py types it"), "sudo apt-get install ./"),
    ("doc/install.md", "install", "sudo apt-get install gcc"),
    ("README.md", "sample", "$ electctl"),
    ("README.md", "cron", "0 3 * * *"),
    ("electctl.1", "cron", "0 3 * * * root electctl -q is-leader", "0 3 * * * root electctl -q run"),
    ("README.md", "firewall", "sudo firewall-cmd"),
    ("README.md", "address", "sudo install -D -m 644 /dev/stdin"),
    ("README.md", "scheduler_unit", "sudo tee /etc/systemd/system/scheduler.service"),
    ("README.md", "command", "sudo electctl run"),
    ("README.md", "note", "sudo install -D -m 755 /dev/stdin"),
    ("README.md", NotRun("clients.py runs it"), "import socket"),
    ("electctl.1", NotRun("an example: each change has other steps and times"),
     "The last change of leader began"),
    ("electctl.1", "unit", "[Unit]\n# electd may"),
    ("electctl.1", "changes", "electctl --plain watch"),
    ("electd.3", NotRun("clients.py compiles and runs them"), "/* Prints host", "import socket"),
    ("electd.8", "varlink", '{"method"'),
    ("electd.8", "varlink_answers", '{"parameters"'),
    ("electd.8", "firewall_by_root", "firewall-cmd"),
    ("electd.8", ("shows", r'(?s)(?=.*"try").*2 hosts'), 'cd "$(mktemp -d)"'),
    ("electd.8", ("shows", "^25165824\n$", "systemctl show -P MemoryMin system.slice"),
     "systemctl set-property"),
    ("electd.8", NotRun("lines of the journal; crash.py reads such"), "electd 0.1.0: crash"),
    ("electd.8", NotRun("wants a package, and a crash"), "addr2line"),
    ("electd.conf.5", NotRun("the table of keys; test_file.c compares it"), "Key "),
    ("electd.conf.5", "key", "mkdir -p -m 700 /etc/credstore"),
    ("electd.conf.5", "key_counts", "systemctl restart electd"),
    ("electd.conf.5", "configuration", "addresses =", "domain =", "priority =", "network: {", "node: {"),
    ("electd.conf.5", ("shows", "", "electd --print-config >printed.conf; "
                       "electd --config printed.conf --check-config"), "electd --print-config"),
    ("electd-security.7", NotRun("keys.py does"),
     "hosts=", "(umask 077; electctl", "(umask 077; ssh", "each \"mkdir", "put()"),
    ("electd-health.7", "probe", "systemctl enable --now electd-probe@pg"),
    ("electd-health.7", "other_probe", "[Service]\nExecStart=\nExecStart=electctl probe"),
    ("electd-health.7", "reports_itself", "[Service]\nExecStartPost"),
    ("electd-health.7", "reported_again", "systemctl enable electd-report@pg"),
    ("electd-health.7", NotRun("examples/health.py compiles and runs it"), "import json", "#include"),
    ("electd-hooks.7", "unit_part", "[Unit]\nBindsTo"),
    ("electd-hooks.7", "online", "[Unit]\nWants"),
    ("electd-hooks.7", NotRun("names of arguments"), "Ar script event domain"),
    ("electd-hooks.7", "standard_input", '{ "schema"'),
    ("electd-hooks.7", "unit", "[Unit]\nDescription"),
    ("electd-hooks.7", "floating_address", "#!/bin/sh"),
    ("electd-hooks.7", "verbose", "journalctl"),
    ("electd-protocol.7", NotRun("dissector.py shows captures by that script"), "tshark"),
    ("electd-varlink.7", NotRun("varlink.py runs it"), "# A holder"),
    ("electd-varlink.7", ("program", "/srv/p.py", "python3 /srv/p.py"), "import json"),
    ("electd-varlink.7", ("program", "/srv/p.c", "/srv/p",
                          "gcc -Wall -Wextra -Werror -o /srv/p /srv/p.c"), "#include"),
    ("electd-varlink.7", NotRun("Go is not part of the image"), "package main"),
    ("electd-varlink.7", "varlinkctl", "varlinkctl"),
    ("electsim.1", "simulated", "electsim run"),
    "as_shown", "spans_listed", "watched", "named", "spans_run", "cron_ran",
    # These come last: distant counters are reported for a while, and then electd is removed.
    ("electd.8", "each", "systemctl stop electd"),
    ("electd.8", "all_begin", "rm /var/lib/electd/state"),
    ("doc/install.md", "upgrade", "autoreconf -i && ./configure"),
    ("doc/install.md", "uninstall", "sudo systemctl disable"),
]

# `commands` in running text: what they print, on the leader; or why they are not run here.
SPANS = {
    "tools/install.sh | sudo tools/install.sh | sudo tools/install.sh --packages | "
    "tools/install.sh --stop": NotRun("tests/package/newcomer.py types it"),
    "sudo apt-get install | sudo apt-get remove electd | sudo apt-get purge electd":
        NotRun("tests/package/booted.py does it"),
    "electd | electsim": NotRun("names a package or a program"),
    "electctl run": NotRun("it wants a command; see command()"),
    "electctl keys": NotRun("it wants a verb of its own; booted/keys.py does them"),
    "electctl watch": NotRun("does not end; see watched()"),
    "electctl doctor": NotRun("see below, by root"),
    "systemctl reload electd": NotRun("life.py does, by root"),
    "systemctl isolate | systemctl stop": NotRun("units.py does"),
    "journalctl -t electd-hookd -n 20 | journalctl -t electd-hookd -n 50 | "
    "journalctl -u electd-leader.target": NotRun("the journal is for root: see below"),
    "systemctl status electd-address | sudo systemctl restart electd-address | "
    "journalctl -t electd-address": NotRun("it does not run here: no address is configured"),
    "free -m": NotRun("shows no process of electd"),
    "sudo sysctl -w net.ipv4.udp_l3mdev_accept=1": NotRun("a container may not"),
    "electctl | electctl status": r'This host, .*, leads "default"',
    "electctl why": r"leads",
    "electctl history | sudo electctl history --journal": r"leader",
    "electctl members": r"host1.*\n*.*host2|host2.*\n*.*host1",
    "electctl check": r"^OK",
    "electctl address": r"^no address is configured",
    "sudo electctl doctor": r"no fault found; 1 other host hears",
    "electctl health": r"nothing was reported",
    "systemctl status electd | systemctl status electd-hookd": r"active \(running\)",
    "sudo electctl --plain doctor": r"uses\teth0",
    "systemctl cat electd": r"ExecStart",
    "ip -br link": r"eth0",
    "ip -br address show dev eth0": r"192\.0\.2\.",
    "sudo journalctl -x -t electd": r"Nothing needs to be done",
    "sudo journalctl -t electd": r"leads",
    "sudo journalctl -t electd-hookd": r"leader",
    "electctl keys list | sudo electctl hooks list | sudo systemctl stop electd | "
    "sudo systemctl restart electd | sudo systemctl restart electd-hookd | sudo electctl reload | "
    "sudo electctl resign | sudo electctl hold on | sudo electctl hold off | "
    "sudo rm /etc/machine-id && sudo systemd-machine-id-setup": r"",
}
SPANS = {text: wanted for texts, wanted in SPANS.items() for text in texts.split(" | ")}
# The test types these commands after the printed ones. A host that resigned would not lead again
# for half a minute.
UNDONE = {
    "sudo systemctl stop electd": "sudo systemctl start electd",
    "sudo electctl resign": "sudo systemctl restart electd",
    "sudo electctl hold on": "sudo electctl hold off",
    "sudo rm /etc/machine-id && sudo systemd-machine-id-setup": "sudo systemctl restart electd",
}


def rules():
    """[(page, what is done, text)], and the errors: blocks without a rule, rules without one"""
    left, found, wrong = blocks(), [], []
    for rule in RULES:
        if isinstance(rule, str):
            found.append(("Markdown", rule, None))
            continue
        page, action, *begins = rule
        for begin in begins:
            some = [block for block in left if block[0] == page and block[1].startswith(begin)]
            left = [block for block in left if block not in some]
            found += [(page, action, text) for _, text in some]
            if not some:
                wrong.append("no block of %s begins with %s" % (page, begin))
    return found, wrong + ["no rule for this block of %s: %s" % block for block in left]


def image():
    """The arguments of image.sh: a line of doc/install.md installs what building needs."""
    line = next((text for _, text in blocks() if text.startswith("sudo apt-get install gcc")), "")
    return "--include", INCLUDED, "--command", line.split("\nautoreconf")[0]


def main():
    found, wrong = rules()
    found = [(page, action, text, "%s, %s" % (page, " ".join((text or action).split())[:40]))
             for page, action, text in found]
    if "--list" in sys.argv[1:]:
        for _, action, _, name in found:
            print("%s: %s%s" % (name, "not run: " if isinstance(action, NotRun) else "", action))
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
        for _, action, text, name in found:
            if not isinstance(action, NotRun):
                method, *more = [action] if isinstance(action, str) else action
                result.attempt(name, getattr(printed, method), *([text] if text else []), *more)
            if action == "install" and result.failed > bool(wrong):
                break
    result.exit()


if __name__ == "__main__":
    main()
