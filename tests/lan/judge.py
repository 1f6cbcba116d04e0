# SPDX-License-Identifier: Apache-2.0
"""Holds what the daemons say against the properties of the algorithm, and against what was done.

Takes the events of all hosts' subscriptions, merged on CLOCK_BOOTTIME, and what a Nemesis notes;
asks nobody and waits for nothing. S1 to S5 are safety, L1 to L4 what must come when troubles end
(algorithm.md, section 7). A judge remembers groups, tokens and counters over the whole run.
"""
import itertools

from lan import BEACON, DEAD_AFTER, LONE_HOLD

REASONS = frozenset("""start alone merged joined invited coordinator-silent coordinator-stopped
    coordinator-resigned coordinator-preempted
    coordinator-restarted coordinator-crashed coordinator-waits coordinator-leads dropped quorum-lost quorum-met
    carrier-lost stalled held sick yielded confirmed definition state-file duplicate-id
    stopping renamed""".split())

# Bounds: those of the algorithm and room for a busy machine.
# Merges wait longer and longer after losses, at most 5 s (4.2).
MERGE = 5.0 + 5 * BEACON + 2.0
# L2's figure is 0.7 s.
UNSETTLED = 0.7 + 0.5
# L3: 15 beacons.
DEAF = 15 * BEACON + 1.0
# A crash, a succession that waits as a group of one must, and what the election itself takes.
LEADERLESS = DEAD_AFTER + LONE_HOLD + 2 * UNSETTLED
# What a save to the disk may take: a token shown later than this before a kill may be forgotten.
SAVED = 0.5

PARTING = "kill stop stall split cut loss start"

# reason: (kinds of faults it may come from, whom such a fault must touch, for how long after its
# end; None: since all was well). A reason that is not here must not come at all.
EXPLANATIONS = {
    "start": ("start", "self", None),
    "alone": (PARTING, "any", None),
    "merged": (PARTING, "any", None),
    "confirmed": (PARTING, "any", None),
    "yielded": (PARTING, "any", None),
    "invited": (PARTING + " resign", "any", None),
    "joined": ("start stall split cut loss resign", "either", None),
    "coordinator-silent": ("kill stall split cut loss", "cause", 5.0),
    "coordinator-crashed": ("kill", "cause", 5.0),
    "coordinator-stopped": ("stop", "cause", 5.0),
    "coordinator-resigned": ("resign", "cause", 5.0),
    "coordinator-restarted": ("start", "cause", 5.0),
    # Also who makes way for a better coordinator stops to lead first.
    "coordinator-waits": (PARTING + " resign", "any", None),
    "coordinator-leads": (PARTING + " resign", "any", None),
    "dropped": ("kill stall split cut loss", "either", 5.0),
    "stopping": ("stop", "cause", 5.0),
    "stalled": ("stall", "self", 2.0),
}
EXPLANATIONS = {r: (frozenset(k.split()) | {"starved"}, w, t)
                for r, (k, w, t) in EXPLANATIONS.items()}

ABOUT_LEADERS = ("leader", "follower", "none")


def key_of(group):
    return group and (group["coordinator"], group["counter"])


class Seen:
    """What one host has said."""

    def __init__(self):
        self.incarnation = None
        self.seq = None
        self.began = self.at = 0.0   # its first and its last event since it was started
        self.down = 0.0       # when it was last ended or stopped
        self.broke_off = 0.0  # when it was last stopped in the middle of an election
        self.role, self.state, self.group, self.leader = "none", "down", None, None
        self.members = []
        self.token = 0        # the highest that was shown
        self.shown = []       # (time, token) of late, in case it is killed before they are saved
        self.formed = 0       # the highest counter of an own group
        self.unsettled = None  # since when in Election or Reorganizing
        self.deaf = None      # since when it follows one that does not know it
        self.told = {}        # seq: event, of the last storm


class Judge:
    def __init__(self, hosts):
        self.hosts = hosts
        self.by_id = {h.id: h for h in hosts}
        self.seen = {h: Seen() for h in hosts}
        self.coordinators = {}    # group id: coordinator's id
        self.holders = {}         # token: host
        self.lists = {}           # group: {host: [lists in order]}, of the last storm
        self.violations = []
        self.changes = []         # (time, host, reason) of every host that came to lead
        self.duals = {}           # pair of leaders that can talk: since when
        self.longest_dual = self.longest_leaderless = 0.0
        self.leaderless = None
        self.moment = None
        self.reasons = {}

    def wrong(self, rule, words, *values):
        self.violations.append("%s: %s" % (rule, words % values))

    # ---- one storm ----

    def take(self, events, moments, faults):
        """All that happened since the last call, in order."""
        items = [(m.at, 0, n, m) for n, m in enumerate(moments)]
        items += [(e["boot_ms"] / 1000, 1, n, (h, e)) for n, (_, h, e) in enumerate(events)]
        items.sort(key=lambda i: i[:3])
        for at, kind, _, what in items:
            if self.moment and at > self.moment.at:
                self._look(at)
            if kind == 0:
                self._moment(what)
            else:
                self._event(at, *what, faults)
            self._look(at)
        self._same_lists()

    def forget(self):
        """A storm is over and everything agreed: what only it could explain is forgotten."""
        self.lists = {key: {host: lists[-1:] for host, lists in by_host.items()}
                      for key, by_host in self.lists.items()
                      if any(seen.group == key for seen in self.seen.values())}
        for seen in self.seen.values():
            seen.told = {}

    def _moment(self, moment):
        """Whoever is gone has no role; how long something lasts is counted anew."""
        before, self.moment = self.moment, moment
        for host, seen in self.seen.items():
            if before and host in before.up - moment.up:
                seen.down = moment.at
            if host not in moment.up:
                seen.unsettled = seen.deaf = None
            elif seen.unsettled is not None:
                seen.unsettled = moment.at
        self.duals = {}
        self.leaderless = None

    # ---- one event ----

    def _event(self, at, host, event, faults):
        seen, status = self.seen[host], event["status"]
        if event["event"] == "snapshot" or seen.incarnation is None:
            self._started(at, host, seen, int(status["node"]["incarnation"]))
        if seen.seq is not None and event["seq"] != seen.seq + 1:
            self.wrong("events", "%s: number %d after %d", host.name, event["seq"], seen.seq)
        seen.seq, seen.at = event["seq"], at
        seen.told[event["seq"]] = event
        changed = seen.group != key_of(status["group"])
        self._groups(at, host, seen, status)
        self._tokens(at, host, seen, status)
        self._lasting(at, seen, status, changed)
        if event["event"] in ABOUT_LEADERS:
            self.explain(at, host, event, faults)
        if event["event"] == "leader":
            self._led(at, host, event)
        if status["state"] == "down" and seen.state in ("election", "reorganizing"):
            seen.broke_off = at
        seen.role, seen.state = status["role"], status["state"]
        seen.leader = status["leader"] and status["leader"]["id"]
        seen.members = [m["id"] for m in status["members"]]

    def _started(self, at, host, seen, incarnation):
        """Whoever was killed before his first save counts that start as none."""
        forgotten = incarnation == seen.incarnation and seen.at - seen.began < SAVED
        if seen.incarnation is not None and incarnation <= seen.incarnation and not forgotten:
            self.wrong("S5", "%.3f %s starts as incarnation %d after %d", at, host.name,
                       incarnation, seen.incarnation)
        seen.incarnation, seen.seq, seen.began = incarnation, None, at
        seen.group, seen.told = None, {}
        # What was shown a moment before the kill may not have reached the disk.
        sure = [token for then, token in seen.shown if then < seen.down - SAVED]
        seen.token = max(sure, default=0) if seen.shown else seen.token
        seen.shown = [(0.0, seen.token)]

    def _groups(self, at, host, seen, status):
        """S1, S3, S4, and the lists for S2."""
        group = status["group"]
        key = key_of(group)
        own = group and group["coordinator"] == host.id
        # Before it is normal, a host may not know its coordinator's name yet.
        if key and status["state"] == "normal":
            if self.coordinators.setdefault(group["id"], group["coordinator"]) != \
                    group["coordinator"]:
                self.wrong("S1", "%.3f %s has another coordinator for %s", at, host.name,
                           group["id"])
        if own and key != seen.group:
            if int(group["counter"]) <= seen.formed:
                self.wrong("S3", "%.3f %s forms %s after counter %d", at, host.name, group["id"],
                           seen.formed)
            seen.formed = int(group["counter"])
        seen.group = key
        if not key or status["state"] != "normal":
            return
        ids = [m["id"] for m in status["members"]]
        if not ids or ids[0] != group["coordinator"]:
            self.wrong("S1", "%.3f %s is normal in %s, whose list begins with %s", at, host.name,
                       group["id"], ids[:1])
        if host.id not in ids or len(set(ids)) != len(ids):
            self.wrong("S4", "%.3f %s is normal in %s with members %s", at, host.name,
                       group["id"], ids)
        lists = self.lists.setdefault(key, {}).setdefault(host, [])
        if not lists or lists[-1] != ids:
            lists.append(ids)

    def _tokens(self, at, host, seen, status):
        token, role, leader = int(status["token"]), status["role"], status["leader"]
        if (role == "none") != (leader is None) or (role == "none") != (token == 0):
            self.wrong("S4", "%.3f %s: role %s, leader %s, token %d", at, host.name, role,
                       leader and leader["name"], token)
        if role == "leader" and (leader["id"] != host.id or status["state"] == "normal" and
                                 status["group"]["coordinator"] != host.id):
            self.wrong("S4", "%.3f %s leads in %s, leader %s", at, host.name,
                       status["group"]["id"], leader["name"])
        if token == 0:
            return
        if token < seen.token:
            self.wrong("S5", "%.3f %s shows token %d after %d", at, host.name, token, seen.token)
        seen.token = max(seen.token, token)
        seen.shown.append((at, token))
        del seen.shown[:-50]
        holder = self.by_id[leader["id"]]
        if self.holders.setdefault(token, holder) is not holder:
            self.wrong("S5", "%.3f token %d of %s and of %s", at, token, holder.name,
                       self.holders[token].name)

    @staticmethod
    def _lasting(at, seen, status, changed):
        """L2: each group may take its time anew."""
        if status["state"] not in ("election", "reorganizing"):
            seen.unsettled = None
        elif seen.unsettled is None or changed:
            seen.unsettled = at

    def _led(self, at, host, event):
        if not self.changes or self.changes[-1][1] is not host:
            self.changes.append((at, host, event["reason"]))

    # ---- reasons ----

    def explain(self, at, host, event, faults):
        """A change must have a reason that is one of ours, and comes from what was done."""
        reason, cause = event["reason"], event["cause"] and self.by_id.get(event["cause"]["id"])
        self.reasons[reason] = self.reasons.get(reason, 0) + 1
        if reason not in REASONS:
            self.wrong("why", "%.3f %s: the reason is %r", at, host.name, reason)
            return
        if event["cause"] and not cause:
            self.wrong("why", "%.3f %s: caused by %s, whom nobody knows", at, host.name,
                       event["cause"])
        kinds, whom, tail = EXPLANATIONS.get(reason, ((), "any", None))
        # A Goodbye says nothing to those whom its sender has only invited.
        if reason == "coordinator-silent" and cause and at - self.seen[cause].broke_off <= tail:
            return
        for fault in faults:
            if fault.kind not in kinds or not fault.active(
                    at - (1e9 if tail is None else tail), at + 0.002):
                continue
            touched = {"any": True,
                       "self": fault.touches(host),
                       "cause": cause is not None and fault.touches(cause),
                       "either": fault.touches(host) or (cause is not None and
                                                         fault.touches(cause))}[whom]
            if touched or fault.kind == "starved":
                return
        self.wrong("why", "%.3f %s %s: %s, caused by %s: nothing of the kind was done; faults: %s",
                   at, host.name, event["event"], reason, cause and cause.name,
                   "; ".join(str(f) for f in faults[-6:]))

    def history(self, host, answer):
        """GetHistory says of each change what subscribers were told, and says it in words."""
        seen = self.seen[host]
        entries = {e["seq"]: e for e in answer["entries"]}
        for seq, event in seen.told.items():
            entry = entries.get(seq)
            if event["event"] == "leader" and not entry:
                self.wrong("why", "%s: event %d is not in the history", host.name, seq)
            if not entry or event["event"] == "snapshot":
                continue
            told = event["reason"], event["cause"], event["token"], event["status"]["role"]
            if told != (entry["reason"], entry["cause"], entry["token"], entry["role"]):
                self.wrong("why", "%s, event %d: told %s, in the history %s", host.name, seq,
                           told, entry)
            if not entry["text"]:
                self.wrong("why", "%s, event %d: no words", host.name, seq)
        leader = self.by_id.get(seen.leader)
        if leader and "%s " % leader.name not in answer["why"]:
            self.wrong("why", "%s follows %s and says: %s", host.name, leader.name, answer["why"])

    # ---- lists ----

    def _same_lists(self):
        """S2: members show the lists of their coordinator, in its order. Of a coordinator that
        ended in that moment they may have one more, then all the same."""
        for key, by_host in self.lists.items():
            owner = self.by_id[key[0]]
            theirs = by_host.get(owner, [])
            more = []
            for host, lists in by_host.items():
                at = 0
                for one in lists:
                    while at < len(theirs) and theirs[at] != one:
                        at += 1
                    if at == len(theirs) and one not in more:
                        more.append(one)
            if len(more) > 1 or (more and owner in self.moment.up and
                                 self.seen[owner].group == key):
                self.wrong("S2", "%s.%s: lists %s, which the coordinator never showed (it showed %s)",
                           owner.name, key[1], self._names(more), self._names(theirs))

    def _names(self, lists):
        return [" ".join(self.by_id[i].name for i in one) for one in lists]

    # ---- what lasts ----

    def _look(self, at):
        if self.moment is None:
            return
        leaders = [h for h in self.hosts if h in self.moment.up and self.seen[h].role == "leader"]
        self._two_leaders(at, leaders)
        self._no_leader(at, leaders)
        for host in self.moment.up:
            self._stays(at, host, self.seen[host])

    def _two_leaders(self, at, leaders):
        now = {p for p in itertools.combinations(leaders, 2) if self.moment.talk(*p)}
        for pair in list(self.duals):
            self.longest_dual = max(self.longest_dual, at - self.duals[pair])
            if at - self.duals[pair] > MERGE:
                self.wrong("leaders", "%.3f %s and %s lead and could talk for %.1f s", at,
                           pair[0].name, pair[1].name, at - self.duals[pair])
                self.duals[pair] = at
            if pair not in now:
                del self.duals[pair]
        for pair in now:
            self.duals.setdefault(pair, at)

    def _no_leader(self, at, leaders):
        part = self.moment.largest()
        if self.leaderless is not None:
            lasted = at - self.leaderless
            self.longest_leaderless = max(self.longest_leaderless, lasted)
            if lasted > LEADERLESS:
                self.wrong("leaders", "%.3f nobody led %d hosts that could talk for %.1f s", at,
                           len(part), lasted)
                self.leaderless = at
        if 2 * len(part) <= len(self.hosts) or any(h in part for h in leaders):
            self.leaderless = None
        elif self.leaderless is None:
            self.leaderless = at

    def _stays(self, at, host, seen):
        """L2, L3."""
        if seen.unsettled is not None and at - seen.unsettled > UNSETTLED:
            self.wrong("L2", "%.3f %s is in %s for %.1f s", at, host.name, seen.state,
                       at - seen.unsettled)
            seen.unsettled = at
        coordinator = seen.group and self.by_id[seen.group[0]]
        known = self.seen.get(coordinator)
        deaf = (seen.state == "normal" and coordinator and coordinator is not host and
                (known.group != seen.group or coordinator not in self.moment.up or
                 (known.state == "normal" and host.id not in known.members)))
        if not deaf:
            seen.deaf = None
        elif seen.deaf is None:
            seen.deaf = at
        elif at - seen.deaf > DEAF:
            self.wrong("L3", "%.3f %s stays in %s.%s, which is without it, for %.1f s", at,
                       host.name, coordinator.name, seen.group[1], at - seen.deaf)
            seen.deaf = at

    # ---- after a storm ----

    def unforced(self, before, after, faults):
        """A leader whom nothing touched has not been replaced; a part that is not the smaller one
        keeps its own."""
        if before is None or before is after or any(f.kind == "starved" for f in faults):
            return
        for fault in faults:
            if fault.kind == "split":
                # Everybody is in some pair: only who could not talk to half or more lost ground.
                lost = sum(a is before for a, _ in fault.pairs)
                if 2 * lost >= len(self.hosts) or len(faults) > 1:
                    return
            elif fault.kind not in ("reload", "start") and fault.touches(before):
                return
        self.wrong("L4", "%s took over from %s, which nothing had touched: %s", after.name,
                   before.name, "; ".join(str(f) for f in faults))

    def quiet(self, events):
        """L4: nothing happens without a cause. A problem that is over may say so."""
        for at, host, event in [e for e in events if e[2]["event"] != "state" or
                                e[2]["status"]["state"] != "normal"][:3]:
            self.wrong("L4", "%.3f %s: %s, %s, though nothing was done", at, host.name,
                       event["event"], event["reason"])
