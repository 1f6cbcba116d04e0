#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The environment of electd-hookd's scripts under systemd, and their results (electd-hooks(7)).

contract.py: a booted host that is alone leads, and does not lead during `electctl hold on`: that
plays `leader` and `none` in a few milliseconds. Results are read where a user reads them: in the
journal entries of electd-hookd and in `electctl hooks list`. Unit tests cover the rules that need
no systemd (tests/unit/hookd, tests/unit/core/test_hookplan.c)."""
import json
import os

import hosts
from hosts import APP, HOOKS, Failed, now, until
import report
import story

# Short, so that a time-out takes a second.
CONFIG = """timing = { beacon_interval_ms = 50; dead_after_ms = 200; start_hold_ms = 100;
	lone_hold_ms = 200; yield_timeout_ms = 15000; };
hooks = { timeout_ms = 1000; on_failure = "ignore"; };
"""
FOLDERS = ("/usr/lib/electd/hooks.d", "/run/electd/hooks.d", HOOKS)
SAY = "#!/bin/sh\necho %s\n"
VARIABLES = ["PATH", "LANG"] + ["ELECTD_" + name for name in (
    "EVENT DOMAIN ROLE OLD_ROLE TOKEN GROUP LEADER_ID LEADER_NAME LEADER_ADDRESS NODE_ID NODE_NAME "
    "MEMBERS MEMBER_COUNT REASON SEQ REPLAY DEFINITION").split()]


def expect(what, seen, wanted):
    if seen != wanted:
        raise Failed("%s: %s, not %s" % (what, seen, wanted))


class Contract:
    def __init__(self, lan):
        self.host = lan.hosts[0]
        self.story = story.Story(lan)

    def start(self):
        """The administrator's folders do not exist at first. Those that the start makes must be
        root's, because electd-hookd refuses hooks below other folders."""
        host = self.host.boot().booted()
        host.run("systemd-sysusers")
        host.systemctl("daemon-reload")
        parents = [os.path.dirname(folder) for folder in FOLDERS]
        host.run("rm", "-rf", *parents)
        host.systemctl("start", "electd")
        for parent in parents:
            owner = host.run("stat", "-c", "%U %a", parent, check=False).stdout.strip()
            if owner not in ("", "root 755"):
                raise Failed("the start has made %s: %s" % (parent, owner))
        host.write("/etc/electd/electd.conf", CONFIG)
        self.story.install(host)
        host.systemctl("daemon-reload")
        host.systemctl("-q", "enable", APP)
        host.systemctl("restart", "electd")
        until("it leads", host.leads)
        self.fresh()

    def fresh(self):
        """Removes all scripts and ends every owed demotion: the host leads, and all daemons run."""
        self.host.systemctl("reset-failed")
        self.host.systemctl("start", "electd")
        until("electd answers", self.host.ask)
        self.host.electctl("hold", "on")
        until("it does not lead", lambda: not self.host.leads())
        self.host.sh("rm -rf %s" % " ".join(folder + "/*" for folder in FOLDERS))
        self.host.electctl("hold", "off")
        until("it leads", self.host.leads)
        until("the target", lambda: self.host.state("electd-leader.target") == "active")

    def put(self, name, text, folder=HOOKS):
        """Installs a script, through the running host because its /run is in memory."""
        path = self.host.inside(folder)
        os.makedirs(path, exist_ok=True)
        with open(path + "/" + name, "w") as f:
            f.write(text)
        os.chmod(path + "/" + name, 0o755)

    def play(self, event):
        """Returns the entries of electd-hookd about that event: {script: its entry}."""
        cursor = self.host.journal("-n", "1")[-1]["__CURSOR"]
        self.host.electctl("hold", "off" if event == "leader" else "on")

        def played():
            # journalctl counts wrongly after a cursor if it also selects.
            entries = [e for e in self.host.journal("--after-cursor", cursor)
                       if e.get("_COMM") == "electd-hookd" and e.get("ELECTD_EVENT") == event]
            ends = [n for n, e in enumerate(entries) if "ELECTD_HOOK" not in e and
                    "ELECTD_RUNTIME_MS" in e]
            return entries[:ends[0]] if ends else None
        return {e["ELECTD_HOOK"]: e for e in until("%s is over" % event, played)
                if "ELECTD_HOOK" in e and not e["ELECTD_HOOK"].endswith(".target")}

    def demote_and_lead(self):
        self.play("none")
        return self.play("leader")

    def stamps(self, since, *words):
        return [e for e in self.story.entries(since=since) if e.words[:len(words)] == list(words)]

    def listed(self):
        return {h["name"]: h for h in json.loads(
            self.host.electctl("--json", "hooks", "list").stdout)["hooks"]}

    def called(self):
        """A script gets none of the manager's environment, and the event on standard input."""
        self.host.systemctl("set-environment", "ALIEN=1")
        self.host.systemctl("restart", "electd-hookd")
        self.fresh()
        self.put("50-look", "#!/bin/sh\ntr '\\0' '\\n' </proc/$$/environ\n")
        self.put("51-look", "#!/bin/sh\necho $# $1 $2 $PWD $(umask) "
                 "$(grep -E 'Sig(Blk|Ign)' /proc/self/status | tr -dc 0-9a-f)\n")
        self.put("52-read", "#!/bin/sh\ncat\n")
        said = {name: e["ELECTD_OUTPUT"] for name, e in self.demote_and_lead().items()}
        seen = dict(line.split("=", 1) for line in said["50-look"].splitlines())
        expect("names", sorted(seen), sorted(VARIABLES))
        status = self.host.ask()
        for name, value in {
                "LANG": "C.UTF-8", "ELECTD_EVENT": "leader", "ELECTD_ROLE": "leader",
                "ELECTD_OLD_ROLE": "none", "ELECTD_TOKEN": status["token"],
                "ELECTD_GROUP": status["group"]["id"], "ELECTD_NODE_NAME": self.host.name,
                "ELECTD_LEADER_ID": status["node"]["id"], "ELECTD_MEMBERS": self.host.name,
                "ELECTD_LEADER_ADDRESS": self.host.address, "ELECTD_REPLAY": "0",
                "ELECTD_MEMBER_COUNT": "1"}.items():
            expect(name, seen[name], value)
        words = said["51-look"].split()
        expect("how", (words[:5], set(words[5]) & set("123456789def")),
               (["2", "leader", "default", "/", "0022"], set()))
        told = json.loads(said["52-read"])
        expect("JSON", (told["event"], told["role"], told["token"], told["leader"]["self"]),
               ("leader", "leader", status["token"], True))

    def one_at_a_time(self):
        """By names: a promotion runs scripts, then the target; a demotion the reverse."""
        for name in ("50-b", "10-a", "9-c"):
            self.put(name, "#!/bin/sh\nstamp script begin %s\nsleep 0.1\nstamp script end %s\n"
                     % (name, name))
        for event, unit_first in (("none", True), ("leader", False)):
            at = now()
            self.play(event)
            unit = until("the unit", lambda: self.stamps(at, "unit"))[0]
            scripts = self.stamps(at, "script")
            expect("order", [" ".join(e.words[1:]) for e in scripts], [
                w + n for n in ("10-a", "50-b", "9-c") for w in ("begin ", "end ")])
            if (unit.at < scripts[0].at) != unit_first or scripts[0].at < unit.at < scripts[-1].at:
                raise Failed("%s: unit at %.3f, scripts from %.3f on" % (
                    event, unit.at, scripts[0].at))

    def failing(self):
        """If a script fails or takes too long, the other scripts still run, the failure is
        reported, and leadership stays."""
        self.put("10-fail", "#!/bin/sh\necho why >&2\nexit 3\n")
        self.put("20-sleep", "#!/bin/sh\n[ $1 = leader ] || sleep 100\n")
        self.put("30-next", SAY % "next")
        expect("none", {n: e["ELECTD_RESULT"] for n, e in self.play("none").items()},
               {"10-fail": "failed", "20-sleep": "timed-out", "30-next": "ok"})
        failed = self.play("leader")["10-fail"]
        expect("entry", [failed["ELECTD_" + n] for n in ("RESULT", "OUTPUT", "STATUS")],
               ["failed", "why", "3"])
        until("status reports it", lambda: any("10-fail" in p for p in
                                          self.host.ask()["health"]["problems"]))
        expect("check", self.host.electctl("check", check=False).returncode, 6)
        last = self.listed()["10-fail"]["last"]
        expect("hooks list", [last[k] for k in ("event", "result", "status")], ["leader", "failed", 3])
        expect("it leads", self.host.leads(), True)

    def running(self):
        unit = self.host.systemctl("show", "-P", "ControlGroup", "electd-hookd").stdout.strip()
        with open("%s/payload%s/cgroup.procs" % (self.host.group, unit)) as f:
            return [pid for pid in f.read().split() if hosts.name_of(pid) == "sleep"]

    def forking(self):
        """A process that a script leaves behind is not waited for, and ends with hookd."""
        self.put("10-fork", "#!/bin/sh\n[ $1 != leader ] || setsid sleep 1000 &\n")
        expect("leader", self.demote_and_lead()["10-fork"]["ELECTD_RESULT"], "ok")
        pid = until("it goes on", self.running)[0]
        self.host.systemctl("stop", "electd-hookd")
        if hosts.name_of(pid) == "sleep":
            raise Failed("it goes on without hookd")

    def killed_with_its_hookd(self):
        """No process of a `leader` script runs on during its demotion."""
        self.put("10-work", "#!/bin/sh\nstamp script $1\n[ $1 != leader ] || "
                 "(stamp script works; sleep 0.4; stamp script late)\nsleep 0.6\n")
        self.play("none")
        at = now()
        self.host.electctl("hold", "off")
        until("it works", lambda: self.stamps(at, "script", "works"))
        self.host.kill("electd-hookd")
        until("the next one", lambda: len(self.stamps(at, "script", "leader")) == 2)
        seen = [e.words[1] for e in self.stamps(at, "script")]
        expect("stamps", seen[:4], ["leader", "works", "stop", "leader"])

    def overriding(self):
        """Later folders override by file name; a link to /dev/null masks. /run/electd, which
        belongs to root, keeps its content over a restart."""
        for number, folder in enumerate(FOLDERS):
            for name in ("51-masked", *("6%d-first" % n for n in range(number + 1))):
                self.put(name, SAY % folder, folder)
        self.host.sh("ln -sf /dev/null %s/51-masked; rm %s/60-first" % (HOOKS, HOOKS))
        self.host.systemctl("restart", "electd")
        until("it leads", self.host.leads)
        expect("output", {n: e["ELECTD_OUTPUT"] for n, e in self.demote_and_lead().items()}, {
            "60-first": FOLDERS[1], "61-first": FOLDERS[2], "62-first": FOLDERS[2]})
        done = self.host.run("setpriv", "--reuid=electd", "--clear-groups", "touch",
                             "/run/electd/mine", check=False)
        if not done.returncode:
            raise Failed("electd may write into /run/electd")


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan(1) as lan:
        contract = Contract(lan)
        contract.start()
        for name in ("called", "one_at_a_time", "failing", "forking", "killed_with_its_hookd",
                     "overriding"):
            result.attempt(name.replace("_", " "), getattr(contract, name))
            contract.fresh()
    result.exit()


if __name__ == "__main__":
    main()
