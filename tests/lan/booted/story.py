# SPDX-License-Identifier: Apache-2.0
"""Reads from the journals of all hosts what happened, and judges whether it was allowed.

The hook script and the unit of the tests call `stamp` when they begin and end; the stamps of all
hosts are on one clock (hosts.py). A host is promoted from the begin of a `leader` script to the end
of a demotion. judge() asserts that no host is promoted twice without a demotion, except for a
confirmation with a higher token, and that its tokens never decrease. Except during apart(), it also
asserts that only one host at a time is promoted, that the unit runs on one host at a time, and that
the token of a new leader is higher than any before."""
import contextlib

from hosts import APP, HOOKS, Failed, now, run, until

# Stamps its begin and its end, also if it gets TERM in between.
SCRIPT = """#!/bin/sh
trap '' TERM
stamp hook begin $$
trap 'trap "" TERM; stamp hook end $$; exit 1' TERM
%strap '' TERM
stamp hook end $$
"""

# A unit that is bound to leadership, as in electd-hooks(7).
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
    """One stamp: `words` is its message, `told` the ELECTD_* variables of a hook."""

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


class Story:
    """Installs the script and the unit, records what the test does, and judges."""

    def __init__(self, lan):
        self.lan = lan
        self.spans = []      # (begin, end): hosts were apart
        self.cuts = []       # (time, host): its power was cut

    def install(self, host, unit=APP, at="", work=""):
        host.write(HOOKS + "/50-stamp", SCRIPT % work, 0o755)
        host.write("/etc/systemd/system/" + unit, UNIT % {"at": at})

    def start(self, config="", work=""):
        """Starts all hosts, and waits for a leader on which the bound unit runs."""
        for host in self.lan.hosts:
            host.write("/etc/electd/electd.conf", config)
            self.install(host, work=work)
            run("systemctl", "--root", host.root, "-q", "enable", APP)
        leader = self.lan.start()
        until("%s runs on %s" % (APP, leader.name), lambda: leader.state(APP) == "active")
        return leader

    def entries(self, hosts=None, since=0.0):
        found = [Entry(host, fields) for host in hosts or self.lan.hosts
                 for fields in host.journal("STAMP=1")]
        return sorted((e for e in found if e.at >= since), key=lambda e: e.at)

    def first(self, at, host, *words, event=None):
        return until("%s: %s %s" % (host.name, " ".join(words), event or ""), lambda: next(
            (e for e in self.entries([host], at) if e.words[:len(words)] == list(words)
             and event in (None, e.event)), None))

    def led(self, since):
        return [e.host for e in self.entries(since=since)
                if e.words[:2] == ["hook", "begin"] and e.event == "leader"]

    @contextlib.contextmanager
    def apart(self):
        """Until the end of the block the hosts cannot all talk to each other, or one is stalled."""
        begin = now()
        try:
            yield
        finally:
            self.spans.append((begin, now()))

    def cut_power(self, host):
        at = host.cut_power()
        self.cuts.append((at, host))

    def judge(self, domain=None):
        """Judges all journals, or the scripts of one election. Returns a summary."""
        promoted, units, tokens, leaders = {}, set(), {}, 0    # promoted: {host: has power}
        cuts = list(self.cuts)
        for entry in self.entries():
            host, together = entry.host, not any(a <= entry.at <= b for a, b in self.spans)
            while cuts and cuts[0][0] < entry.at:
                dead = cuts.pop(0)[1]
                units.discard(dead)
                promoted.update({dead: False} if dead in promoted else {})
            if entry.words[0] == "unit" and not domain:
                (units.add if entry.words[1] == "begin" else units.discard)(host)
                wrong = together and len(units) > 1
            elif entry.words[0] != "hook" or domain not in (None, entry.told["domain"]):
                continue
            elif entry.words[1] == "end" or entry.event != "leader":
                wrong = False
                if entry.words[1] == "end" and entry.event in DEMOTIONS:
                    promoted.pop(host, None)
            else:
                others = max((t for h, t in tokens.items() if h is not host), default=-1)
                mine = tokens.get(host, -1)
                wrong = entry.token < mine or host in promoted and not (
                    entry.told["old_role"] == "leader" and entry.token > mine) or together and (
                    entry.token <= others or any(on for h, on in promoted.items() if h is not host))
                promoted[host], tokens[host] = True, entry.token
                leaders += 1
            if wrong:
                raise Failed("%s: promoted: %s, units: %s, tokens: %s" % (entry, *(
                    sorted(getattr(h, "name") for h in some) for some in (promoted, units)), {
                        h.name: t for h, t in tokens.items()}))
        if not leaders:
            raise Failed("no host ever led")
        return "%d promotions" % leaders
