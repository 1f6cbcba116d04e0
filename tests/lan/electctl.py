#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electctl against real electds: every verb with its exit codes, and `run` through hand-overs.

The unit tests of electctl play electd; here it is electd that answers.
"""
import json
import os
import signal
import subprocess
import time

import lan
import report
from report import Failed

NOBODY = 65534
# What the command of `run` does when it is told to end: it takes a while, and tells when.
COMMAND = """
said() { echo "$1 $ELECTD_TOKEN $(cut -d' ' -f1 /proc/uptime)" >>"$0"; }
trap 'sleep 0.1; said end; exit 0' TERM
said begin
while :; do sleep 0.02; done
"""


def want(host, status, *words, out=None, err=None, user=None):
    done = subprocess.run([lan.ELECTCTL, "--socket", host.socket_path, *words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=lan.PATIENCE,
                          stdin=subprocess.DEVNULL, check=False, user=user,
                          extra_groups=[] if user else None)
    if done.returncode != status or (out is not None and out not in done.stdout) or (
            err is not None and err not in done.stderr):
        raise Failed("%s: exit %d, wanted %d; said %r and %r" % (
            " ".join(words), done.returncode, status, done.stdout, done.stderr))
    return done.stdout


def asking(net):
    """What only asks: forms and exit codes, the same words everywhere."""
    leader = net.leader()
    other = next(h for h in net.hosts if h is not leader)
    count = 0
    for verb in ("status", "leader", "members", "history", "why", "check", "priority", "metrics",
                 "watch --count 0", "wait leader"):
        words = verb.split()
        want(other, 0, *words)
        answer = json.loads(want(other, 0, *words, "--json"))
        if answer.get("schema") != 1:
            raise Failed("%s --json has no schema" % verb)
        want(other, 0, *words, "--plain")
        count += 3
    want(leader, 0, "is-leader", out="")
    want(other, 1, "is-leader", out="")
    want(other, 0, "leader", out=leader.name + "\n")
    want(other, 0, "check", out="OK: %s leads" % leader.name)
    want(other, 0, "check", "--members", "3")
    want(other, 6, "check", "--members", "4", out="DEGRADED: 3 hosts agree, and 4 should")
    want(leader, 0, "wait", "self")
    want(other, 0, "wait", "follower")
    want(other, 0, "wait", "members", "3")
    want(other, 5, "wait", "members", "4", "--timeout", "0.1")
    want(other, 5, "wait", "self", "--timeout", "0.1")
    want(other, 2, "wait", "nothing")
    want(other, 2, "nothing")
    # The same words in status, history and why.
    why = json.loads(want(other, 0, "status", "--json"))["why"]
    entries = json.loads(want(other, 0, "history", "--json"))["entries"]
    text = next(e["text"] for e in reversed(entries) if e["event"] != "members")
    if why not in text or why not in want(other, 0, "why", "--plain"):
        raise Failed("status says %r, history %r" % (why, text))
    return "%d answers" % count


def changing(net):
    """What changes this host: for administrators only, said in words, kept as long as promised."""
    host = net.leader()
    for words in (["hold", "on"], ["priority", "7"], ["define", "/dev/null"], ["reload"],
                  ["resign"], ["run", "true"]):
        want(host, 4, *words, err="electd-admin", user=NOBODY)
    want(host, 0, "status", user=NOBODY)
    want(host, 0, "priority", "200", out="")
    want(host, 0, "priority", out="200\n")
    want(host, 0, "reload", out="nothing has changed")
    want(host, 0, "define", host.config)
    host.write_config("priority = 150;")
    want(host, 0, "reload", out="changed: priority\n")
    want(host, 0, "priority", out="150\n")
    host.write_config("\npriority = 300;")
    want(host, 7, "reload", err="electd.conf:3: priority")
    want(host, 0, "priority", out="150\n")
    host.write_config()
    want(host, 0, "reload")
    want(host, 0, "hold", "on")
    net.wait("another one leads", lambda: net.led() and net.leader() is not host)
    want(host, 1, "resign", err="does not lead")
    want(host, 0, "hold", "off")
    net.settle()
    want(net.leader(), 0, "resign", "--for", "1", out="leads")
    net.settle()
    file = os.path.join(host.dir, "electd.prom")
    want(host, 0, "metrics", "--output", file, out="")
    with open(file) as f:
        if "electd_is_leader" not in f.read():
            raise Failed("no metrics in the file")
    want(host, 0, "history", out="held")


def can_lead(asked, host, able):
    """Until `asked` knows that the host may lead, or may not."""
    end = lan.now() + lan.PATIENCE
    while not any(m["id"] == host.id and m["may_lead"] == able
                  for m in asked.call("io.electd.GetMembers")["members"]):
        if lan.now() > end:
            raise Failed("%s never heard whether %s may lead" % (asked.name, host.name))
        time.sleep(0.01)


def handed_to(net):
    """resign --to: who cannot lead is refused, who can does, and the wait for it is seen."""
    net.settle()
    leader = net.leader()
    last = next(h for h in net.hosts if h.id == leader.view["members"][-1]["id"])
    for name, why in (("nobody", "is no member"), (leader.name, "is this host itself"),
                      ("0" * 31, "is no member")):
        want(leader, 1, "resign", "--to", name, err=why)
    want(last, 0, "hold", "on")
    can_lead(leader, last, False)
    want(leader, 1, "resign", "--to", last.name, err="%s may not lead now" % last.name)
    want(last, 0, "hold", "off")
    can_lead(leader, last, True)
    if net.leader() is not leader:
        raise Failed("a refused one changed something")
    want(leader, 0, "resign", "--to", last.name, "--for", "1", out="%s leads" % last.name)
    net.settle()
    can_lead(last, leader, True)
    # By its id, and what it waits for holds it up.
    command = subprocess.Popen([lan.ELECTCTL, "--socket", last.socket_path, "run", "--", "sh", "-c",
                                "trap 'sleep 1; exit' TERM; echo; while :; do sleep 0.02; done"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    command.stdout.readline()
    resign = subprocess.Popen([lan.ELECTCTL, "--socket", last.socket_path, "resign", "--to",
                               leader.id, "--for", "60"], stdout=subprocess.PIPE, text=True)
    net.wait("it says so", lambda: last.view["yielding"])
    said = want(last, 0, "status")
    if "waits for electctl run to stop what it runs, " not in " ".join(said.split()) or \
            "; then %s is" % leader.name not in " ".join(said.split()):
        raise Failed("while it waits: %s" % said)
    if resign.communicate(timeout=lan.PATIENCE)[0].split()[:2] != [leader.name, "leads"] or \
            resign.returncode != 0:
        raise Failed("by id: exit %d" % resign.returncode)
    command.communicate(timeout=lan.PATIENCE)
    want(last, 0, "status", out="Barred    has given up the lead")
    net.settle()


def degraded(net):
    """A host without a link is degraded, in words and by exit code; a stopped electd is 3."""
    host = next(h for h in net.hosts if h is not net.leader())
    lan.run("ip", "-n", host.name, "link", "set", "eth0", "down")
    net.wait("it says so", lambda: not host.view["health"]["ok"])
    said = want(host, 6, "check", out="DEGRADED: ")
    lan.run("ip", "-n", host.name, "link", "set", "eth0", "up")
    net.settle()
    host.stop()
    for words in (["status"], ["check"], ["watch"], ["run", "true"], ["metrics"]):
        want(host, 3, *words, err="not running")
    host.start()
    net.settle()
    return said.strip()


# ---- the journal ---------------------------------------------------------------------------------

JOURNALD = "/usr/lib/systemd/systemd-journald"
# In a mount namespace: a journald of its own, and an electd alone that is started twice. stderr
# counts as the journal's if JOURNAL_STREAM names it.
JOURNAL = """
set -e
mount -t tmpfs journal /run
mkdir -p /run/log /run/systemd/journal /run/e
[ ! -d /var/log/journal ] || mount -t tmpfs journal /var/log/journal
echo 0123456789abcdef0123456789abcdef >/run/id
mount --bind /run/id /etc/machine-id
$JOURNALD >/run/journald.log 2>&1 &
journald=$!
trap 'kill $journald $electd 2>/dev/null || true' EXIT
for i in $(seq 100); do [ ! -S /run/systemd/journal/socket ] || break; sleep 0.1; done
cat >/run/e/conf <<'TEXT'
node = { name = "alone"; };
network = { interfaces = [ "lo" ]; };
TEXT
for i in 1 2; do
	: >/run/e/log
	rm -f /run/e/io.electd # of the one that was killed
	JOURNAL_STREAM=$(stat -c %d:%i /run/e/log) $ELECTD --config /run/e/conf --state-dir /run/e \
		--runtime-dir /run/e 2>/run/e/log &
	electd=$!
	for i in $(seq 100); do [ ! -S /run/e/io.electd ] || break; sleep 0.1; done
	$ELECTCTL --socket /run/e/io.electd wait self --timeout 5
	kill -9 $electd
	wait $electd || true
done
journalctl --sync 2>/dev/null || sleep 1
$ELECTCTL history --journal
$ELECTCTL --domain other history --journal
chmod 0750 /run/log/journal/*
status=0
setpriv --reuid $NOBODY --regid $NOBODY --clear-groups $ELECTCTL history --journal || status=$?
echo "exit $status"
"""


def journal():
    """Changes from before the last start, by real entries in a real journal."""
    if not os.path.exists(JOURNALD):
        return "skipped: no %s" % JOURNALD
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "bash", "-c", JOURNAL], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False,
        env={**os.environ, "JOURNALD": JOURNALD, "NOBODY": str(NOBODY), "ELECTD": os.path.abspath(lan.ELECTD),
             "ELECTCTL": os.path.abspath(lan.ELECTCTL)})
    lines = done.stdout.splitlines()
    leads = [line for line in lines if " leader " in line and " alone " in line]
    if done.returncode or len(leads) != 2 or not any("started anew" in line for line in lines):
        raise Failed("exit %d: %s %s" % (done.returncode, done.stdout, done.stderr))
    if lines[-1] != "exit 4" or "systemd-journal" not in done.stderr:
        raise Failed("who may not read is told: %s %s" % (lines[-1], done.stderr))
    return "%d lines" % len(lines)


# ---- run -----------------------------------------------------------------------------------------


class Runs:
    """A `run` on each host, all of them writing into one file: who works when."""

    def __init__(self, net):
        self.net = net
        self.file = os.path.join(net.dir, "runs")
        self.processes = {}

    def start(self, host):
        self.processes[host] = subprocess.Popen(
            [lan.ELECTCTL, "--socket", host.socket_path, "run", "--kill-after", "3", "--", "sh",
             "-c", COMMAND, self.file], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, start_new_session=True)

    def said(self):
        """[(what, token, time)]"""
        lines = [line.split() for line in report.whole_lines(self.file)]
        return [(what, int(token), float(at)) for what, token, at in lines]

    def wait(self, what, condition):
        end = lan.now() + lan.PATIENCE
        while not condition():
            if lan.now() > end:
                raise Failed("not in time: %s; said: %s" % (what, self.said()))
            time.sleep(0.01)

    def begun(self, times):
        self.wait("%d commands begun" % times,
                  lambda: sum(s[0] == "begin" for s in self.said()) >= times)

    def ended(self, host):
        """Its exit code and its words; what it said at its end."""
        process = self.processes.pop(host)
        try:
            words = process.communicate(timeout=lan.PATIENCE)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed("%s did not end" % host.name) from None
        return process.returncode, words

    def stop(self):
        for host, process in list(self.processes.items()):
            process.send_signal(signal.SIGTERM)
            self.ended(host)


def one_at_a_time(said):
    """Each begins after the one before has ended, with a token that is new."""
    for number, (what, token, at) in enumerate(said):
        if what != ("begin", "end")[number % 2]:
            raise Failed("two at a time: %s" % (said,))
        if number and at < said[number - 1][2]:
            raise Failed("out of order: %s" % (said,))
        if what == "end" and token != said[number - 1][1]:
            raise Failed("a token changed: %s" % (said,))
    tokens = [s[1] for s in said if s[0] == "begin"]
    if len(set(tokens)) != len(tokens):
        raise Failed("a token twice: %s" % tokens)


def handing_over(net):
    """Resigned, held, stopped, killed: the next command begins after the last has ended."""
    runs = Runs(net)
    for host in net.hosts:
        runs.start(host)
    try:
        runs.begun(1)
        times = 1
        for fault in ("resign", "hold", "stop", "kill"):
            leader = net.leader()
            if fault == "resign":
                want(leader, 0, "resign", "--for", "1")
            elif fault == "hold":
                want(leader, 0, "hold", "on")
            elif fault == "stop":
                leader.stop()
            else:
                leader.kill()
            times += 1
            code, words = runs.ended(leader)
            if code != 1 or "ending sh" not in words:
                raise Failed("%s: exit %d, %r" % (fault, code, words))
            runs.begun(times)
            if fault == "hold":
                want(leader, 0, "hold", "off")
            if not leader.process:
                leader.start()
                net.settle()
            net.settle()
            runs.start(leader)
    finally:
        runs.stop()
    said = runs.said()
    one_at_a_time(said)
    gaps = [b[2] - a[2] for a, b in zip(said[1::2], said[2::2])]
    return "5 commands, between them at most %.2f s" % max(gaps)


def silence(net):
    """A stopped electd cannot say that it lost: its command ends all the same."""
    runs = Runs(net)
    runs.file += ".silence"
    leader = net.leader()
    runs.start(leader)
    try:
        runs.begun(1)
        at = lan.now()
        leader.process.send_signal(signal.SIGSTOP)
        code, words = runs.ended(leader)
        took = lan.now() - at
        leader.process.send_signal(signal.SIGCONT)
    finally:
        runs.stop()
    if code != 1 or "says nothing" not in words:
        raise Failed("exit %d, %r" % (code, words))
    if took > lan.DEAD_AFTER + 0.5:
        raise Failed("it took %.2f s" % took)
    net.settle()
    return "ended after %.2f s" % took


def command_codes(net):
    """The command's own exit code, its output on stdout, its token in its environment."""
    leader = net.leader()
    token = want(leader, 5, "run", "--timeout", "0", "--", "sh", "-c", "exit 5")
    if token:
        raise Failed("unexpected words: %r" % token)
    want(leader, 0, "run", "--", "sh", "-c", "echo $ELECTD_TOKEN", out="%d\n" % leader.token())
    want(leader, 127, "run", "--", "/nonexistent", err="No such file")
    want(leader, 137, "run", "--", "sh", "-c", "kill -9 $$")
    other = next(h for h in net.hosts if h is not leader)
    want(other, 5, "run", "--timeout", "0.2", "--", "echo", "never", out="")


def main():
    lan.setup()
    r = report.Report()
    with lan.Lan(3) as net:
        os.chmod(net.dir, 0o755)
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        net.settle()
        r.attempt("the verbs that ask", asking, net)
        r.attempt("the verbs that change", changing, net)
        r.attempt("resign --to", handed_to, net)
        r.attempt("the exit codes of run", command_codes, net)
        r.attempt("run hands over", handing_over, net)
        r.attempt("run ends when electd is silent", silence, net)
        r.attempt("degraded and not running", degraded, net)
    r.attempt("history from the journal", journal)
    r.exit()


if __name__ == "__main__":
    main()
