#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""electctl with real electds, a real journal and real processes.

The unit tests of electctl, which play electd, cover all output and exit codes. These tests show
that electd answers each verb in the form that electctl reads, that it knows the user of a client
from the kernel, and that `electctl run` starts and ends processes through hand-overs.
"""
import json
import os
import signal
import subprocess

import lan
import report
from report import Failed, Skipped

NOBODY = 65534
# The command for `run`. When it gets TERM it takes a while to end, and writes down when it has.
COMMAND = """
said() { echo "$1 $ELECTD_TOKEN" >>"$0"; }
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
    """Each verb in each form; status, history and why have the same words for a change."""
    leader, (other, _) = net.leader_and_others()
    for verb in ("status", "leader", "members", "address", "history", "why", "why --times", "check", "priority", "metrics",
                 "watch --count 0", "wait leader"):
        words = verb.split()
        want(other, 0, *words)
        want(other, 0, *words, "--plain")
        if json.loads(want(other, 0, *words, "--json")).get("schema") != 1:
            raise Failed("%s --json has no schema" % verb)
    want(leader, 0, "is-leader", out="")
    want(other, 1, "is-leader", out="")
    want(other, 0, "check", out="OK: %s leads" % leader.name)
    want(other, 6, "check", "--members", "4", out="DEGRADED: 3 hosts agree, but 4 should")
    want(other, 0, "wait", "members", "3")
    want(other, 5, "wait", "self", "--timeout", "0.1")
    why = json.loads(want(other, 0, "status", "--json"))["why"]
    entries = json.loads(want(other, 0, "history", "--json"))["entries"]
    text = next(e["text"] for e in reversed(entries) if e["event"] != "members")
    if why not in text or why not in want(other, 0, "why", "--plain"):
        raise Failed("status says %r, history %r" % (why, text))
    steps = [s["step"] for s in json.loads(want(leader, 0, "why", "--times", "--json"))["steps"]]
    if not {"accept-received", "list-sent", "leads", "saved"} <= set(steps):
        raise Failed("the leader has the steps %s" % steps)


def changing(net):
    """Only administrators may change something; electd gets their ids from the kernel."""
    host, (other, _) = net.leader_and_others()
    for words in (["hold", "on"], ["priority", "7"], ["define", "/dev/null"], ["reload"],
                  ["resign"], ["run", "true"]):
        want(host, 4, *words, err="electd-admin", user=NOBODY)
    want(host, 0, "status", user=NOBODY)
    want(host, 0, "priority", "200", out="")
    want(host, 0, "priority", out="200\n")
    want(host, 0, "define", host.config)
    host.write_config("priority = 150;")
    want(host, 0, "reload", out="changed: priority\n")
    host.write_config("\npriority = 300;")
    want(host, 7, "reload", err="electd.conf:3: priority")
    want(host, 0, "priority", out="150\n")
    host.write_config()
    want(host, 0, "reload")
    want(host, 1, "resign", "--to", "nobody", err="is no member")
    want(host, 0, "resign", "--to", other.name, "--for", "1", out="%s leads" % other.name)
    want(host, 1, "resign", err="does not lead")
    want(other, 0, "hold", "on")
    net.wait("another host leads", lambda: net.led() and net.leader() is not other)
    want(other, 0, "hold", "off")
    want(other, 0, "history", out="held")
    file = os.path.join(host.dir, "electd.prom")
    want(host, 0, "metrics", "--output", file, out="")
    with open(file) as f:
        if "electd_is_leader" not in f.read():
            raise Failed("no metrics in the file")
    other.stop()
    for words in (["status"], ["check"], ["watch"], ["run", "true"], ["metrics"]):
        want(other, 3, *words, err="not running")
    other.start()


# ---- the journal ---------------------------------------------------------------------------------

JOURNALD = "/usr/lib/systemd/systemd-journald"
# In a mount namespace: a journald, and an electd alone, which is started twice. stderr counts as
# the journal if JOURNAL_STREAM names it.
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
until [ -S /run/systemd/journal/socket ]; do sleep 0.1; done
cat >/run/e/conf <<'TEXT'
node = { name = "alone"; };
network = { interfaces = [ "lo" ]; };
TEXT
for i in 1 2; do
	: >/run/e/log
	rm -f /run/e/io.electd # left by the one that was killed
	JOURNAL_STREAM=$(stat -c %d:%i /run/e/log) $ELECTD --config /run/e/conf --state-dir /run/e \
		--runtime-dir /run/e 2>/run/e/log &
	electd=$!
	until [ -S /run/e/io.electd ]; do sleep 0.1; done
	$ELECTCTL --socket /run/e/io.electd wait self
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
    """Changes from before the last start, from entries of a real journal."""
    if not os.path.exists(JOURNALD):
        raise Skipped("there is no %s" % JOURNALD)
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "bash", "-c", JOURNAL], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=lan.PATIENCE, check=False,
        env={**os.environ, "JOURNALD": JOURNALD, "NOBODY": str(NOBODY),
             "ELECTD": os.path.abspath(lan.ELECTD), "ELECTCTL": os.path.abspath(lan.ELECTCTL)})
    lines = done.stdout.splitlines()
    leads = [line for line in lines if " leader " in line and " alone " in line]
    if done.returncode or len(leads) != 2 or not any("electd restarted" in line for line in lines):
        raise Failed("exit %d: %s %s" % (done.returncode, done.stdout, done.stderr))
    if lines[-1] != "exit 4" or "systemd-journal" not in done.stderr:
        raise Failed("a user without access gets: %s %s" % (lines[-1], done.stderr))
    return "%d lines" % len(lines)


# ---- run -----------------------------------------------------------------------------------------

class Runs:
    """An `electctl run` on each host; their commands all write into one file when they work."""

    def __init__(self, net, name):
        self.file = os.path.join(net.dir, name)
        self.processes = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for host, process in list(self.processes.items()):
            process.send_signal(signal.SIGTERM)
            self.ended(host)

    def start(self, host):
        self.processes[host] = subprocess.Popen(
            [lan.ELECTCTL, "--socket", host.socket_path, "run", "--kill-after", "3", "--", "sh",
             "-c", COMMAND, self.file], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
            text=True, start_new_session=True)

    def said(self):
        return [line.split() for line in report.whole_lines(self.file)]

    def ended(self, host):
        """Waits for the end of `run` on a host: its exit code and its output."""
        process = self.processes.pop(host)
        try:
            words = process.communicate(timeout=lan.PATIENCE)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failed("%s did not end" % host.name) from None
        return process.returncode, words


def one_at_a_time(said):
    """Each command begins after the previous one has ended, with a new token."""
    for number, (what, token) in enumerate(said):
        if what != ("begin", "end")[number % 2] or (
                what == "end" and token != said[number - 1][1]):
            raise Failed("two at a time, or another token: %s" % (said,))
    tokens = [token for what, token in said if what == "begin"]
    if len(set(tokens)) != len(tokens):
        raise Failed("a token twice: %s" % tokens)


def handing_over(net):
    """The leader resigns, stops or is killed: the commands never overlap."""
    with Runs(net, "runs") as runs:
        for host in net.hosts:
            runs.start(host)
        for times, fault in enumerate(("resign", "stop", "kill"), 1):
            lan.until("%d commands begin" % times, lambda times=times: sum(
                what == "begin" for what, _ in runs.said()) == times)
            leader = net.leader()
            if fault == "resign":
                want(leader, 0, "resign", "--for", "1")
            else:
                leader.end(signal.SIGTERM if fault == "stop" else signal.SIGKILL)
            code, words = runs.ended(leader)
            if code != 1 or "ending sh" not in words:
                raise Failed("%s: exit %d, %r" % (fault, code, words))
            if not leader.process:
                leader.start()
            net.settle()
            runs.start(leader)
    one_at_a_time(runs.said())
    return "%d commands" % (len(runs.said()) / 2)


def main():
    lan.setup()
    r = report.Report()
    with lan.Lan(3) as net:
        os.chmod(net.dir, 0o755)
        for host in net.hosts:
            os.chmod(host.dir, 0o755)
        net.start()
        r.attempt("the verbs that ask", asking, net)
        r.attempt("the verbs that change", changing, net)
        net.settle()
        r.attempt("run hands over", handing_over, net)
    r.attempt("history from the journal", journal)
    r.exit()


if __name__ == "__main__":
    main()
