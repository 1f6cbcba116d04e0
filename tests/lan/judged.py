#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of judge.py, broken once on purpose by made-up events: a check that cannot fail is no
check. Nothing runs here; a good story must pass, and every bad one be called by its name."""
import judge
import nemesis
import report
from report import Failed

FAR = 1000.0   # when the story begins


class Host:
    def __init__(self, number):
        self.number, self.name, self.id = number, "host%d" % number, "%032x" % number


class Story:
    """Three hosts of which the third led, died and was succeeded by the second."""

    def __init__(self):
        self.hosts = [Host(n + 1) for n in range(3)]
        self.truth = nemesis.Truth(self.hosts)
        self.truth.running = set(self.hosts)
        self.truth.note(FAR)
        self.events, self.seq = [], {}
        for host in self.hosts:
            self.truth.fault("start", [host], at=FAR).end = FAR

    def say(self, at, number, event, role, state="normal", group=(3, 1), members=(3, 2, 1),
            token=10, leader=3, reason="start", cause=3, incarnation=1, skip=0):
        host = self.hosts[number - 1]
        self.seq[host] = self.seq.get(host, 0) + 1 + skip
        named = lambda n: n and {"id": "%032x" % n, "name": "host%d" % n}
        nobody = role == "none"
        self.events.append((FAR + at, host, {
            "seq": self.seq[host], "event": event, "boot_ms": (FAR + at) * 1000,
            "reason": reason, "cause": named(cause), "token": "0" if nobody else str(token),
            "status": {
                "role": role, "state": state, "token": "0" if nobody else str(token),
                "node": {"id": host.id, "incarnation": str(incarnation)},
                "leader": None if nobody else named(leader),
                "group": group and {"coordinator": "%032x" % group[0], "counter": str(group[1]),
                                    "id": "host%d.%d" % group},
                "members": [named(n) for n in members]}}))

    def begin(self):
        self.say(0.5, 3, "leader", "leader")
        self.say(0.5, 2, "follower", "follower", reason="invited")
        self.say(0.5, 1, "follower", "follower", reason="invited")

    def succession(self, token=20, reason="coordinator-silent", kill=True, **more):
        """The third is killed at 2.0."""
        if kill:
            self.truth.fault("kill", [self.hosts[2]], at=FAR + 2)
            self.truth.running.discard(self.hosts[2])
            self.truth.note(FAR + 2)
        words = dict(group=(2, 2), members=(2, 1), leader=2, token=token, reason=reason, cause=3)
        words.update(more)
        self.say(2.6, 2, "leader", "leader", **words)
        self.say(2.6, 1, "follower", "follower", **words)

    def judge(self, end=3.0):
        one = judge.Judge(self.hosts)
        self.truth.note(FAR + end)
        one.take(self.events, *self.truth.take())
        return [v.split(":")[0] for v in one.violations], one


def good(s):
    s.begin()
    s.succession()


def good_broken_off(s):
    """Whoever stops in an election is silent for those whom it has invited."""
    s.begin()
    stopped(s, "election")


def other_list_head(s):
    s.begin()
    s.say(1.0, 1, "members", "follower", members=(2, 3, 1))


def different_lists(s):
    s.begin()
    s.say(1.0, 1, "members", "follower", members=(3, 1))


def formed_twice(s):
    s.begin()
    s.say(1.0, 3, "state", "leader", group=None, state="down")
    s.say(1.1, 3, "leader", "leader")


def not_in_own_list(s):
    s.begin()
    s.say(1.0, 1, "members", "follower", members=(3, 2))


def leads_for_another(s):
    s.begin()
    s.say(1.0, 1, "leader", "leader", leader=1, token=11)


def token_down(s):
    s.begin()
    s.succession(token=9)


def token_twice(s):
    s.begin()
    s.succession(token=10)


def same_incarnation(s):
    s.begin()
    s.succession()
    s.say(2.8, 1, "snapshot", "follower", group=(2, 2), members=(2, 1), leader=2, token=20)


def token_forgotten(s):
    """Its own, long after it was shown."""
    s.begin()
    s.succession()
    s.truth.running.add(s.hosts[2])
    s.truth.note(FAR + 2.8)
    s.say(2.9, 3, "snapshot", "leader", incarnation=2, group=(3, 2), members=(3,), token=9)


def two_leaders(s):
    s.begin()
    s.say(1.0, 2, "leader", "leader", group=(2, 2), members=(2,), leader=2, token=20)


def nobody_leads(s):
    s.begin()
    s.say(1.0, 3, "none", "none")


def unsettled(s):
    s.begin()
    s.say(1.0, 1, "state", "follower", state="election", group=(1, 5))


def left_behind(s):
    s.begin()
    s.say(1.0, 3, "members", "leader", members=(3, 2))


def without_reason(s):
    s.begin()
    s.succession(reason="bad weather")


def nothing_done(s):
    s.begin()
    s.say(1.0, 1, "none", "none", reason="coordinator-silent", cause=3)


def wrong_cause(s):
    s.begin()
    s.succession(cause=1)


def never_allowed(s):
    s.begin()
    s.succession(reason="quorum-lost")


def stopped_as_a_leader(s):
    """Then it has said Goodbye, and is not silent."""
    s.begin()
    stopped(s, "normal")


def stopped(s, state):
    s.say(1.9, 3, "state", "leader", state=state)
    s.say(2.0, 3, "state", "leader", state="down")
    s.truth.fault("stop", [s.hosts[2]], at=FAR + 2)
    s.truth.running.discard(s.hosts[2])
    s.truth.note(FAR + 2)
    s.succession(kill=False)


def event_missing(s):
    s.begin()
    s.say(1.0, 1, "members", "follower", skip=1)


# story, the rule it breaks, when the story ends
STORIES = [
    (good, None, 3.0),
    (good_broken_off, None, 3.0),
    (other_list_head, "S1", 3.0),
    (different_lists, "S2", 3.0),
    (formed_twice, "S3", 3.0),
    (not_in_own_list, "S4", 3.0),
    (leads_for_another, "S4", 3.0),
    (token_down, "S5", 3.0),
    (token_twice, "S5", 3.0),
    (same_incarnation, "S5", 3.0),
    (token_forgotten, "S5", 3.0),
    (two_leaders, "leaders", 1.0 + judge.MERGE + 0.1),
    (nobody_leads, "leaders", 1.0 + judge.LEADERLESS + 0.1),
    (unsettled, "L2", 1.0 + judge.UNSETTLED + 0.1),
    (left_behind, "L3", 1.0 + judge.DEAF + 0.1),
    (without_reason, "why", 3.0),
    (nothing_done, "why", 3.0),
    (wrong_cause, "why", 3.0),
    (never_allowed, "why", 3.0),
    (stopped_as_a_leader, "why", 3.0),
    (event_missing, "events", 3.0),
]


def told(function, rule, end):
    story = Story()
    function(story)
    found, _ = story.judge(end)
    if rule is None and found:
        raise Failed("a good story breaks %s" % found)
    if rule is not None and rule not in found:
        raise Failed("%s is not seen, but %s" % (rule, found))
    return rule or "nothing wrong"


def histories():
    """What the history says must be what was told."""
    for change in ("reason", "token", "gone", "why"):
        story = Story()
        good(story)
        _, one = story.judge()
        event = next(e for _, h, e in story.events if h.number == 2 and e["event"] == "leader")
        entry = {"seq": event["seq"], "reason": event["reason"], "cause": event["cause"],
                 "token": event["token"], "role": "leader", "text": "host2 leads"}
        answer = {"why": "host2 leads since then.", "entries": [entry]}
        one.history(story.hosts[1], answer)
        if one.violations:
            raise Failed("a good history: %s" % one.violations)
        if change == "gone":
            answer["entries"] = []
        elif change == "why":
            answer["why"] = "Nobody leads."
        else:
            entry[change] = "17"
        one.history(story.hosts[1], answer)
        if not one.violations:
            raise Failed("another %s is not seen" % change)
    return "four lies"


def unforced():
    story = Story()
    _, one = story.judge()
    first, second = story.hosts[:2]
    member = nemesis.Fault("kill", [second], FAR)
    one.unforced(first, first, [member])
    one.unforced(first, second, [nemesis.Fault("kill", [first], FAR)])
    if one.violations:
        raise Failed("a forced change: %s" % one.violations)
    one.unforced(first, second, [member])
    if not one.violations:
        raise Failed("a leader that nothing touched was replaced, and nobody minds")
    return "L4"


def quiet():
    story = Story()
    _, one = story.judge()
    story.begin()
    one.quiet(story.events)
    if not one.violations:
        raise Failed("changes in a calm, and nobody minds")
    return "L4"


def main():
    result = report.Report()
    for function, rule, end in STORIES:
        result.attempt(function.__name__.replace("_", " "), told, function, rule, end)
    result.attempt("histories", histories)
    result.attempt("an unforced change", unforced)
    result.attempt("a calm that is none", quiet)
    result.exit()


if __name__ == "__main__":
    main()
