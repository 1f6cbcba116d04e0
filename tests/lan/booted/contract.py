#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sentence of the contract of hooks (electd-hooks(7)), one test each, on a booted host.

contract.py: a host that is alone leads, and does not while `electctl hold on`: that plays `leader`
and `none` in a few milliseconds. Results are read where a user reads them: in the journal entries
of electd-hookd and in `electctl hooks list`.
"""
import json

import hosts
from hosts import APP, HOOKS, Failed, now, until
import report
import story

# Short, so that a time-out costs a second.
CONFIG = """timing = { beacon_interval_ms = 50; dead_after_ms = 200; start_hold_ms = 100;
	lone_hold_ms = 200; yield_timeout_ms = 15000; };
hooks = { timeout_ms = 1000; on_failure = "%s"; };
"""
FOLDERS = ("/usr/lib/electd/hooks.d", "/run/electd/hooks.d", HOOKS)
SAY = "#!/bin/sh\necho %s\n"


def expect(what, seen, wanted):
    if seen != wanted:
        raise Failed("%s: %s, not %s" % (what, seen, wanted))


class Run:
    """What came of one event: {script: its entry}, in the order in which they ended."""

    def __init__(self, entries):
        self.scripts = {e["ELECTD_HOOK"]: e for e in entries if "ELECTD_HOOK" in e}
        self.took = int(entries[-1]["ELECTD_RUNTIME_MS"]) / 1000

    def results(self):
        return {name: e["ELECTD_RESULT"] for name, e in self.scripts.items()
                if not name.endswith(".target")}

    def output(self, name):
        return self.scripts[name].get("ELECTD_OUTPUT", "")


class Contract:
    def __init__(self, lan):
        self.host = lan.hosts[0]
        self.story = story.Story(lan)

    def start(self):
        host = self.host.boot().booted()
        host.run("systemd-sysusers")
        host.systemctl("daemon-reload")
        self.start_without_files()
        host.write("/etc/electd/electd.conf", CONFIG % "ignore")
        self.story.install(host)
        host.systemctl("daemon-reload")
        host.systemctl("-q", "enable", APP)
        host.systemctl("restart", "electd")
        until("it leads", host.leads)
        self.fresh()

    def start_without_files(self):
        """Nothing of the administrator's is there yet: whatever the start makes is root's, or hooks
        below it would be refused."""
        self.host.run("rm", "-rf", *(folder.rsplit("/", 1)[0] for folder in FOLDERS))
        self.host.systemctl("start", "electd")
        for folder in FOLDERS:
            parent = folder.rsplit("/", 1)[0]
            owner = self.host.run("stat", "-c", "%U %a", parent, check=False).stdout.strip()
            if owner not in ("", "root 755"):
                raise Failed("the start has made %s: %s" % (parent, owner))

    # ---- making things happen ----

    def fresh(self):
        """No script, a host that leads, all daemons up."""
        self.host.sh("rm -rf %s" % " ".join(folder + "/*" for folder in FOLDERS))
        self.host.systemctl("reset-failed")
        self.host.systemctl("start", "electd")
        until("electd answers", self.host.ask)
        if self.host.state("electd-leader.target") != "active":
            self.host.electctl("hold", "on")
            until("it does not lead", lambda: not self.host.leads())
        self.host.electctl("hold", "off")
        until("it leads", self.host.leads)
        until("the target", lambda: self.host.state("electd-leader.target") == "active")

    def put(self, name, text, folder=HOOKS, mode=0o755):
        """A script; through the running host, whose /run is memory."""
        path = self.host.inside(folder)
        hosts.os.makedirs(path, exist_ok=True)
        with open(path + "/" + name, "w") as f:
            f.write(text)
        hosts.os.chmod(path + "/" + name, mode)

    def sh(self, text):
        return self.host.sh("cd %s; %s" % (HOOKS, text)).stdout

    def cursor(self):
        return self.host.journal("-n", "1")[-1]["__CURSOR"]

    def after(self, cursor):
        """What hookd says from there on. (journalctl would count wrong, were it to select too.)"""
        return [e for e in self.host.journal("--after-cursor", cursor)
                if e.get("_COMM") == "electd-hookd"]

    def wait(self, cursor, event):
        """Until that event has been played after the cursor."""
        def played():
            entries = [e for e in self.after(cursor) if e.get("ELECTD_EVENT") == event]
            ends = [n for n, e in enumerate(entries) if "ELECTD_HOOK" not in e and
                    "ELECTD_RUNTIME_MS" in e]
            return Run(entries[:ends[0] + 1]) if ends else None
        return until("%s is over" % event, played)

    def play(self, event):
        cursor = self.cursor()
        if event == "leader":
            self.host.electctl("hold", "off")
        elif event == "none":
            self.host.electctl("hold", "on")
        else:
            self.host.systemctl("stop", "electd")
        return self.wait(cursor, event)

    def demote_and_lead(self):
        """The run of a `leader`."""
        self.play("none")
        return self.play("leader")

    def stamps(self, since, *words):
        return [e for e in self.story.entries(since=since) if e.words[:len(words)] == list(words)]

    # ---- how it is called ----

    def called(self):
        self.put("50-look", "#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"; pwd; umask; "
                 "grep -E 'Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f 5-7 /proc/$$/stat; "
                 "echo $$; ls /proc/$$/fd\nexit\n")
        lines = self.demote_and_lead().output("50-look").splitlines()
        name, event, domain, rest = lines[0].split("|")
        if not name.startswith("/dev/fd/"):
            raise Failed("$0 is %s" % name)
        expect("arguments", (event, domain), ("leader", "default"))
        expect("folder, mask", [rest, lines[1]], ["/", "0022"])
        expect("signals", [line.split()[1] for line in lines[2:4]], ["0" * 16] * 2)
        group, session, terminal = lines[4].split()
        expect("session, group, terminal", [session, group, terminal], [lines[5], lines[5], "0"])
        open_files = sorted(int(n) for n in lines[6:])
        if open_files[:3] != [0, 1, 2] or len(open_files) > 5:
            raise Failed("open files: %s" % open_files)

    def environment(self):
        """Made from nothing; and the event on standard input."""
        self.host.systemctl("set-environment", "ALIEN=1")
        self.host.systemctl("restart", "electd-hookd")
        self.fresh()
        self.put("50-look", "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ\n")
        self.put("51-read", "#!/bin/sh\ncat\n")
        run = self.demote_and_lead()
        seen = dict(line.split("=", 1) for line in run.output("50-look").splitlines())
        expect("names", sorted(seen), sorted(["PATH", "LANG"] + ["ELECTD_" + n for n in (
            "EVENT DOMAIN ROLE OLD_ROLE TOKEN GROUP LEADER_ID LEADER_NAME LEADER_ADDRESS NODE_ID "
            "NODE_NAME MEMBERS MEMBER_COUNT REASON SEQ REPLAY DEFINITION").split()]))
        status = self.host.ask()
        for name, value in {
                "LANG": "C.UTF-8", "ELECTD_EVENT": "leader", "ELECTD_ROLE": "leader",
                "ELECTD_OLD_ROLE": "none", "ELECTD_TOKEN": status["token"],
                "ELECTD_GROUP": status["group"]["id"], "ELECTD_NODE_NAME": self.host.name,
                "ELECTD_LEADER_ID": status["node"]["id"], "ELECTD_MEMBERS": self.host.name,
                "ELECTD_LEADER_ADDRESS": self.host.address, "ELECTD_REPLAY": "0",
                "ELECTD_MEMBER_COUNT": "1"}.items():
            expect(name, seen[name], value)
        told = json.loads(run.output("51-read"))
        expect("JSON", (told["event"], told["role"], told["token"], told["leader"]["self"]),
               ("leader", "leader", status["token"], True))

    # ---- order ----

    def one_at_a_time(self):
        """In the order of their names; promote = scripts, then the target; demote the other way."""
        for name in ("50-b", "10-a", "9-c"):
            self.put(name, "#!/bin/sh\nstamp script begin %s\nsleep 0.1\nstamp script end %s\n"
                     % (name, name))
        for event, unit_first in (("none", True), ("leader", False)):
            at = now()
            self.play(event)
            until("the unit", lambda: self.stamps(at, "unit"))
            seen = [" ".join(e.words[1:]) for e in self.stamps(at, "script")]
            expect("order", seen, [w + n for n in ("10-a", "50-b", "9-c")
                                   for w in ("begin ", "end ")])
            unit, script = self.stamps(at, "unit")[0].at, self.stamps(at, "script")[0].at
            if (unit < script) != unit_first:
                raise Failed("%s: unit at %.3f, scripts from %.3f on" % (event, unit, script))

    def replayed(self):
        """The first state after a start; and after `leader` always a demotion first."""
        self.put("50-say", '#!/bin/sh\necho "$1 $ELECTD_REPLAY"\n')
        self.demote_and_lead()
        cursor = self.cursor()
        self.host.kill("electd-hookd")
        self.wait(cursor, "leader")
        seen = [e["ELECTD_OUTPUT"] for e in self.after(cursor)
                if e.get("ELECTD_HOOK") == "50-say"]
        # By what systemd runs when hookd has ended; then by the next hookd.
        if not seen or seen[0].split()[0] not in story.DEMOTIONS or seen[-1] != "leader 1":
            raise Failed("played %s" % seen)

    def stop_is_told(self):
        self.put("50-say", SAY % "here")
        expect("stop", self.play("stop").results(), {"50-say": "ok"})

    def definition(self):
        """What the coordinator hands out is a file; `members` says that it has changed."""
        self.put("50-cat", '#!/bin/sh\ncat "$ELECTD_DEFINITION"\n')
        self.host.write("/etc/definition", "one two\n")
        cursor = self.cursor()
        self.host.electctl("define", "/etc/definition")
        expect("output", self.wait(cursor, "members").output("50-cat"), "one two")

    # ---- scripts that behave badly ----

    def sleeping(self):
        """TERM when the time of the event is over; what is left of a `leader` is left out."""
        self.put("10-sleep", "#!/bin/sh\ntrap 'stamp script term; exit' TERM\nsleep 100 & wait\n")
        self.put("20-next", SAY % "next")
        self.play("none")
        at = now()
        run = self.play("leader")
        expect("leader", run.results(), {"10-sleep": "timed-out", "20-next": "left-out"})
        if not 0.9 < run.took < 1.5 or not self.stamps(at, "script", "term"):
            raise Failed("took %.2f s" % run.took)

    def sleeping_in_a_demotion(self):
        """What is left of a demotion runs all the same."""
        self.put("10-sleep", "#!/bin/sh\n[ $1 = leader ] || sleep 100\n")
        self.put("20-next", SAY % "next")
        expect("none", self.play("none").results(), {"10-sleep": "timed-out", "20-next": "ok"})

    def ignoring_term(self):
        """KILL five seconds later."""
        self.put("10-deaf", "#!/bin/sh\ntrap '' TERM\n[ $1 != leader ] || sleep 100\n")
        self.play("none")
        run = self.play("leader")
        expect("leader", run.results(), {"10-deaf": "timed-out"})
        if not 5.9 < run.took < 6.6:
            raise Failed("took %.2f s" % run.took)
        expect("what is left of it", self.running("sleep"), [])

    def running(self, name):
        """Processes of that name in the unit of hookd."""
        unit = self.host.systemctl("show", "-P", "ControlGroup", "electd-hookd").stdout.strip()
        with open("%s/payload%s/cgroup.procs" % (self.host.group, unit)) as f:
            return [pid for pid in f.read().split() if hosts.name_of(pid) == name]

    def cut_short(self):
        """A `leader` script of a leadership that is lost meanwhile is ended, and not waited for."""
        self.put("10-sleep", "#!/bin/sh\nif [ $1 = leader ]; then stamp script begin; "
                 "sleep 0.9; fi\n")
        self.play("none")
        at, cursor = now(), self.cursor()
        self.host.electctl("hold", "off")
        until("it has begun", lambda: self.stamps(at, "script", "begin"))
        at = now()
        self.host.electctl("hold", "on")
        run = self.wait(cursor, "none")
        expect("leader", self.wait(cursor, "leader").results(), {"10-sleep": "cut"})
        expect("none", run.results(), {"10-sleep": "ok"})

    def forking(self):
        """What it leaves behind is not waited for, and ends with hookd."""
        self.put("10-fork", "#!/bin/sh\n[ $1 != leader ] || setsid sleep 1000 &\n")
        run = self.demote_and_lead()
        expect("leader", run.results(), {"10-fork": "ok"})
        if run.took > 0.5:
            raise Failed("waited %.1f s" % run.took)
        until("it goes on", lambda: self.running("sleep"))
        pid = self.running("sleep")[0]
        self.host.systemctl("stop", "electd-hookd")
        if hosts.name_of(pid) == "sleep":
            raise Failed("it goes on without hookd")

    def killed_with_its_hookd(self):
        """Nothing of a `leader` goes on while its demotion is played."""
        self.put("10-work", "#!/bin/sh\nstamp script $1\n[ $1 != leader ] || "
                 "(stamp script works; sleep 0.4; stamp script late)\nsleep 0.6\n")
        self.play("none")
        at = now()
        self.host.electctl("hold", "off")
        until("it works", lambda: self.stamps(at, "script", "works"))
        self.story.kill_hookd(self.host)
        until("its demotion", lambda: self.stamps(at, "script", "stop"))
        until("the next one", lambda: len(self.stamps(at, "script", "leader")) == 2)
        seen = [e.words[1] for e in self.stamps(at, "script")]
        expect("stamps", seen[:3], ["leader", "works", "stop"])
        if "late" in seen[:seen.index("stop") + 2]:
            raise Failed("it went on: %s" % seen)

    def flooding(self):
        """Its last lines are kept, memory is bounded."""
        self.put("10-flood", "#!/bin/sh\nhead -c 40000000 /dev/zero | tr '\\0' x\necho\n"
                 "echo the end\n")
        self.put("20-next", SAY % "next")
        self.sh("true")
        run = self.demote_and_lead()
        expect("leader", run.results(), {"10-flood": "ok", "20-next": "ok"})
        text = run.output("10-flood")
        if not text.endswith("the end") or len(text) > 2048:
            raise Failed("%d characters, the last: %s" % (len(text), text[-20:]))
        resident, _ = report.memory_kib(self.host.main_pid("electd-hookd"))
        if resident > 16384:
            raise Failed("hookd uses %d KiB" % resident)

    def failing(self):
        """The others run all the same; it is told, and leadership stays."""
        self.put("10-fail", "#!/bin/sh\necho why >&2\nexit 3\n")
        self.put("20-next", SAY % "next")
        run = self.demote_and_lead()
        expect("leader", run.results(), {"10-fail": "failed", "20-next": "ok"})
        expect("output, status", (run.output("10-fail"), run.scripts["10-fail"]["ELECTD_STATUS"]),
               ("why", "3"))
        until("status tells", lambda: any("10-fail" in p for p in
                                          self.host.ask()["health"]["problems"]))
        expect("check", self.host.electctl("check", check=False).returncode, 6)
        listed = {h["name"]: h for h in json.loads(
            self.host.electctl("--json", "hooks", "list").stdout)["hooks"]}
        expect("hooks list", [listed["10-fail"]["last"][k] for k in ("event", "result", "status")],
               ["leader", "failed", 3])
        expect("it leads", self.host.leads(), True)

    def failing_resigns(self):
        """With hooks.on_failure = "resign" leadership is given back."""
        self.host.write("/etc/electd/electd.conf", CONFIG % "resign")
        self.host.systemctl("reload", "electd")
        try:
            self.put("10-fail", "#!/bin/sh\n[ $1 != leader ]\n")
            self.play("none")
            cursor = self.cursor()
            self.play("leader")
            expect("none", self.wait(cursor, "none").results(), {"10-fail": "ok"})
        finally:
            # A host that has resigned is barred for a while.
            self.host.write("/etc/electd/electd.conf", CONFIG % "ignore")
            self.host.systemctl("restart", "electd")

    def not_a_program(self):
        self.put("10-words", "echo no first line\n")
        self.put("20-lost", "#!/nowhere/interpreter\n")
        self.put("30-next", SAY % "next")
        expect("leader", self.demote_and_lead().results(),
               {"10-words": "unstarted", "20-lost": "unstarted", "30-next": "ok"})

    def signalled(self):
        self.put("10-dies", "#!/bin/sh\nkill -SEGV $$\n")
        self.put("20-next", SAY % "next")
        expect("leader", self.demote_and_lead().results(),
               {"10-dies": "signalled", "20-next": "ok"})

    def vanishing(self):
        """The file that was checked is the file that runs: though it is gone ..."""
        self.play("none")
        self.put("10-remove", "#!/bin/sh\nrm -f %s/20-*\n" % HOOKS)
        self.put("20-gone", SAY % "still")
        run = self.play("leader")
        expect("leader", run.results(), {"10-remove": "ok", "20-gone": "ok"})
        expect("output", run.output("20-gone"), "still")

    def replaced(self):
        """... or another one has its name now."""
        self.play("none")
        self.put("10-swap", "#!/bin/sh\nmv %s/.new %s/20-mine\n" % (HOOKS, HOOKS))
        self.put("20-mine", SAY % "old")
        self.put(".new", SAY % "new")
        expect("output", self.play("leader").output("20-mine"), "old")

    # ---- what is refused ----

    def refused(self):
        """With the reason told, and the others run."""
        for name in "owner group others setuid data".split():
            self.put("50-" + name, SAY % "never")
        self.put("90-good", SAY % "runs")
        self.sh("chown 65534 50-owner; chmod g+w 50-group; chmod o+w 50-others; "
                "chmod u+s 50-setuid; chmod -x 50-data; mkfifo 50-fifo; mkdir 50-folder; "
                "mkdir -p /srv/open; chmod 777 /srv/open; cp 90-good /srv/open/hook; "
                "ln -s /srv/open/hook 50-link; ln -s /nowhere 50-dangling")
        run = self.demote_and_lead()
        results = run.results()
        expect("good", results.pop("90-good"), "ok")
        expect("refused", {n: r for n, r in results.items() if r != "refused"}, {})
        listed = {h["name"]: h for h in json.loads(
            self.host.electctl("--json", "hooks", "list").stdout)["hooks"]}
        wanted = {"50-owner": "belongs", "50-group": "group", "50-others": "others",
                  "50-setuid": "set", "50-fifo": "", "50-link": "/srv/open",
                  "50-dangling": "", "50-data": "", "50-folder": "folder"}
        for name, word in wanted.items():
            entry = listed.get(name)
            if not entry or entry["state"] != "refused" or not entry["reason"] or \
                    word not in entry["reason"] or entry["reason"] not in \
                    run.scripts[name]["MESSAGE"]:
                raise Failed("%s: %s" % (name, entry))

    def folder_open_to_others(self):
        """Writable anywhere up the path: nothing in it runs."""
        self.put("50-say", SAY % "never")
        self.sh("chmod o+w .")
        try:
            expect("leader", self.demote_and_lead().results(), {"50-say": "refused"})
        finally:
            self.sh("chmod o-w .")

    def links(self):
        """A link to a good script runs it."""
        self.sh("mkdir -p /opt/hooks; printf '#!/bin/sh\\necho linked\\n' >/opt/hooks/x; "
                "chmod 755 /opt/hooks/x; ln -s /opt/hooks/x 50-link")
        expect("output", self.demote_and_lead().output("50-link"), "linked")

    # ---- folders ----

    def overriding(self):
        """Later folders override by file name; a link to /dev/null masks."""
        for number, folder in enumerate(FOLDERS):
            for name in ("50-all", "51-masked", *("6%d-first" % n for n in range(number + 1))):
                self.put(name, SAY % folder, folder)
        self.sh("ln -sf /dev/null 51-masked")
        run = self.demote_and_lead()
        seen = {name: run.output(name) for name in run.results()}
        expect("output", seen, {"50-all": FOLDERS[2], "60-first": FOLDERS[2],
                                "61-first": FOLDERS[2], "62-first": FOLDERS[2]})
        self.sh("rm 5* 6*")
        run = self.demote_and_lead()
        expect("without /etc", {name: run.output(name) for name in run.results()},
               {"50-all": FOLDERS[1], "51-masked": FOLDERS[1], "60-first": FOLDERS[1],
                "61-first": FOLDERS[1]})

    def survives_a_restart(self):
        """/run/electd is root's: what is in hooks.d there stays when electd is restarted."""
        self.put("50-run", SAY % "here", "/run/electd/hooks.d")
        self.host.systemctl("restart", "electd")
        until("it leads", self.host.leads)
        expect("leader", self.demote_and_lead().results(), {"50-run": "ok"})
        done = self.host.run("setpriv", "--reuid=electd", "--clear-groups", "touch",
                             "/run/electd/mine", check=False)
        if not done.returncode:
            raise Failed("electd may write into /run/electd")

    def tried_out(self):
        """electctl hooks test shows what would run, and runs it with --run."""
        self.put("50-say", '#!/bin/sh\necho "$1 in $2"\n')
        shown = self.host.electctl("hooks", "test", "leader").stdout
        if "50-say" not in shown or "ELECTD_EVENT=leader" not in shown:
            raise Failed(shown)
        done = self.host.electctl("hooks", "test", "none", "--run", check=False)
        if "none in default" not in done.stdout + done.stderr:
            raise Failed(done.stdout + done.stderr)

    # ---- what an administrator stops ----

    def works(self):
        """The target is up, and the unit that is bound to it runs."""
        return all(self.host.state(unit) == "active" for unit in ("electd-leader.target", APP))

    def found_stopped(self, cursor):
        """The journal names the target that somebody stopped."""
        return any("electd-leader.target: stopped by another program" in e["MESSAGE"]
                   for e in self.after(cursor))

    def target_stopped(self):
        """`systemctl isolate` and a stop of the target are reported, and the work runs again."""
        # Or electd is no part of multi-user.target, and is stopped as well.
        self.host.systemctl("-q", "enable", "electd")
        for words in (("isolate", "multi-user.target"), ("stop", "electd-leader.target")):
            until("the unit runs, a leader is known", lambda: self.works() and self.host.state(
                "electd-online.target") == "active")
            cursor = self.cursor()
            self.host.systemctl(*words)
            expect(words, self.works(), False)
            expect("a leader is known", self.host.state("electd-online.target"), "active")
            until("it is reported", lambda c=cursor: self.found_stopped(c))
            until("the unit runs again", self.works)
            until("check is content", lambda: not self.host.electctl(
                "check", check=False).returncode)

    def target_masked(self):
        """It cannot be started, and `check` names it until it can."""
        self.host.systemctl("mask", "--now", "electd-leader.target")
        try:
            until("it is named", lambda: "hook electd-leader.target: failed on leader" in
                  self.host.electctl("check", check=False).stdout)
            expect("check", self.host.electctl("check", check=False).returncode, 6)
        finally:
            self.host.systemctl("unmask", "electd-leader.target")
        until("the unit runs again", self.works)

    def target_stopped_resigns(self):
        """With hooks.on_failure = "resign" leadership is handed over."""
        self.host.write("/etc/electd/electd.conf", CONFIG % "resign")
        self.host.systemctl("reload", "electd")
        try:
            cursor = self.cursor()
            self.host.systemctl("stop", "electd-leader.target")
            self.wait(cursor, "none")
            expect("reported", self.found_stopped(cursor), True)
            expect("leads", self.host.leads(), False)
        finally:
            # A host that has resigned is barred for a while.
            self.host.write("/etc/electd/electd.conf", CONFIG % "ignore")
            self.host.systemctl("restart", "electd")

    def without_hookd(self):
        """Nobody waits for it."""
        self.host.systemctl("stop", "electd-hookd")
        at = now()
        self.host.electctl("hold", "on")
        until("it does not lead", lambda: not self.host.leads())
        took = now() - at
        if took > 1:
            raise Failed("waited %.1f s" % took)


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(1) as lan:
        contract = Contract(lan)
        contract.start()
        for name in (
                "called", "environment", "one_at_a_time", "replayed", "stop_is_told",
                "definition", "sleeping", "sleeping_in_a_demotion", "ignoring_term", "cut_short",
                "forking", "killed_with_its_hookd", "flooding", "failing", "failing_resigns", "not_a_program", "signalled",
                "vanishing", "replaced", "refused", "folder_open_to_others", "links", "overriding",
                "survives_a_restart", "tried_out", "target_stopped", "target_masked",
                "target_stopped_resigns", "without_hookd"):
            result.attempt(name.replace("_", " "), getattr(contract, name))
            try:
                contract.fresh()
            except Failed as error:
                result.result("as before after " + name, False, str(error))
                break
    result.exit()


if __name__ == "__main__":
    main()
