# SPDX-License-Identifier: Apache-2.0
"""What happened on all hosts, read from their journals, and whether it was allowed.

The hook script and the unit that the tests install say by `stamp` when they begin and end; the
stamps of all hosts are on one clock (hosts.py). What is judged, always:

  demotion   a `leader` that was begun is followed by a demotion that ended, before the next
             `leader`, except a confirmation: it led, and the token is higher
  order      scripts of one host run one at a time
  tokens     those that `leader` scripts of one host are given never go down

and while all hosts can talk, which is except where the test says apart():

  alone      while the unit, or what a `leader` script has set up, is there on one host, it is on no
             other
  tokens     a new leader's is higher than that of any before
"""
import contextlib
import sys

import hosts
from hosts import APP, HOOKS, Failed, now, until
import report

# Begins and ends with a stamp each, also when it is told to end between them.
SCRIPT = """#!/bin/sh
trap '' TERM
stamp hook begin $$
trap 'trap "" TERM; stamp hook end $$; exit 1' TERM
%strap '' TERM
stamp hook end $$
"""

# A unit that is bound to leadership, as electd-hooks(7) says it.
UNIT = """[Unit]
BindsTo=electd-leader%(at)s.target
After=electd-leader%(at)s.target
[Service]
ExecStartPre=stamp unit begin
ExecStart=sleep infinity
ExecStopPost=stamp unit end
[Install]
WantedBy=electd-leader%(at)s.target
"""

DEMOTIONS = ("follower", "none", "stop")


class Entry:
    """One stamp: `words` is what it says, `told` what a hook was told."""

    def __init__(self, host, fields):
        self.host = host
        self.at = int(fields["STAMP_US"]) / 1e6
        self.words = fields["MESSAGE"].split()
        self.told = {name[7:].lower(): value for name, value in fields.items()
                     if name.startswith("ELECTD_")}
        self.event = self.told.get("event")
        self.token = int(self.told.get("token") or 0)

    def __str__(self):
        told = " %s token %d" % (self.event, self.token) if self.event else ""
        return "%.3f %s %s%s" % (self.at, self.host.name, " ".join(self.words), told)


class Seen:
    """What is known of one host while its entries are gone through."""

    def __init__(self):
        self.script = None      # the shell that runs
        self.began = 0.0
        self.promoted = None    # token of the `leader` that has no demotion yet
        self.unit = False
        self.on = True
        self.token = 0          # the last one of a `leader`

    def ended_silently(self, power):
        """What it owes it owes still."""
        self.script = None
        if power:
            self.unit = self.on = False

    def ended(self, entry):
        if self.script == entry.words[2]:
            self.script = None
        if entry.event in DEMOTIONS:
            self.promoted = None


class Story:
    """Installs what stamps, keeps what the test has done, and judges."""

    def __init__(self, lan):
        self.lan = lan
        self.spans = []      # (begin, end): hosts were apart
        self.ends = []       # (time, host, its power): what ran there ended without a word
        self.wrong = []

    def install(self, host, unit=APP, at="", work=""):
        host.write(HOOKS + "/50-stamp", SCRIPT % work, 0o755)
        host.write("/etc/systemd/system/" + unit, UNIT % {"at": at})

    def start(self, config="", work=""):
        """On every host the steps that doc/install.md has after `make install`; then one host leads, and a
        unit that is bound to the leader runs."""
        for host in self.lan.hosts:
            host.boot()
        for host in self.lan.hosts:
            host.booted()
            host.write("/etc/electd/electd.conf", config)
            self.install(host, work=work)
            host.run("systemd-sysusers")
            host.systemctl("daemon-reload")
            host.systemctl("-q", "enable", APP)
            host.systemctl("-q", "enable", "--now", "electd")
        leader = self.lan.settle()
        until("%s runs on %s" % (APP, leader.name), lambda: leader.state(APP) == "active")
        return leader

    def first(self, at, host, *words, event=None):
        """The first stamp of that kind from then on; waits for it."""
        def found():
            return next((e for e in self.entries([host], at) if e.words[:len(words)] == list(words)
                         and event in (None, e.event)), None)
        return until("%s: %s %s" % (host.name, " ".join(words), event or ""), found)

    @contextlib.contextmanager
    def apart(self):
        """From here to the end of the block not all hosts can talk, or one stands still."""
        begin = now()
        try:
            yield
        finally:
            self.spans.append((begin, now()))

    def cut_power(self, host):
        at = host.cut_power()
        self.ends.append((at, host, True))
        return at

    def kill_hookd(self, host):
        """Its script ends with it, or a moment before."""
        at = host.kill("electd-hookd")
        self.ends.append((at, host, False))
        return at

    def entries(self, hosts=None, since=0.0):
        found = [Entry(host, fields) for host in hosts or self.lan.hosts
                 for fields in host.journal("STAMP=1")]
        return sorted((e for e in found if e.at >= since), key=lambda e: e.at)

    # ---- judging ----

    def judge(self, entries=None):
        """Every journal from the first entry on: a summary, or Failed with what was wrong."""
        self.wrong = []
        seen = {host: Seen() for host in self.lan.hosts}
        leaders = 0
        entries = [e for e in entries or self.entries() if e.words[0] in ("hook", "unit")]
        ends = sorted(self.ends, key=lambda end: end[0])
        for entry in entries:
            while ends and ends[0][0] < entry.at:
                _, host, power = ends.pop(0)
                seen[host].ended_silently(power)
            state = seen[entry.host]
            if entry.words[0] == "unit":
                self._unit(entry, state, seen)
            elif entry.words[1] == "end":
                if entry.words[2] != state.script and not self._was_killed(entry.host, entry.at):
                    self._say(entry, "it is not the one that began last")
                state.ended(entry)
            else:
                self._begin(entry, state)
                if entry.event == "leader":
                    leaders += 1
                    self._leader(entry, state, seen)
        if not leaders:
            self.wrong.append("nobody ever led")
        if self.wrong:
            raise Failed("; ".join(self.wrong[:5]))
        return "%d entries, %d promotions" % (len(entries), leaders)

    def _say(self, entry, words):
        self.wrong.append("%s: %s" % (entry, words))

    def _is_apart(self, at):
        return any(begin <= at <= end for begin, end in self.spans)

    def _was_killed(self, host, at):
        """It was on its way into the journal when its hookd was killed."""
        return any(h is host and end <= at < end + 0.05 for end, h, _ in self.ends)

    def _begin(self, entry, state):
        if state.script and not self._was_killed(entry.host, state.began):
            self._say(entry, "while another script runs")
        state.script, state.began = entry.words[2], entry.at
        state.on = True

    def _leader(self, entry, state, seen):
        if state.promoted is not None and not (entry.told["old_role"] == "leader" and
                                               entry.token > state.promoted):
            self._say(entry, "no demotion since the one with token %d" % state.promoted)
        if entry.token < state.token:
            self._say(entry, "after token %d" % state.token)
        if not self._is_apart(entry.at):
            for host, other in seen.items():
                if host is entry.host:
                    continue
                if other.promoted is not None and other.on:
                    self._say(entry, "%s is not demoted" % host.name)
                if entry.token <= other.token:
                    self._say(entry, "%s had token %d" % (host.name, other.token))
        state.promoted = state.token = entry.token

    def _unit(self, entry, state, seen):
        state.unit = entry.words[1] == "begin"
        if state.unit and not self._is_apart(entry.at):
            for host, other in seen.items():
                if host is not entry.host and other.unit:
                    self._say(entry, "it runs on %s too" % host.name)


def measured(words, what):
    """main() of a program that measures: what(lan, told, runs), N times (30), on three hosts."""
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        told = Story(lan)
        told.start()
        result.attempt(words, what, lan, told, int(sys.argv[1]) if len(sys.argv) > 1 else 30)
        result.attempt("all journals", told.judge)
    result.exit()
