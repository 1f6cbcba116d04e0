# SPDX-License-Identifier: Apache-2.0
"""Judges the daemons' events by the safety properties S1 to S5 of rules.md, Properties.

A record is an event of io.electd.Subscribe. A rule sees the records of one host in order, and
remembers groups, tokens and counters over all lives of all hosts. It uses no clock and does not
know the faults. planted() breaks each rule once, with made-up records."""
from report import Failed


class Seen:
    """The reports of one host, in its present life and in all lives."""

    def __init__(self, formed=0, led=0):
        self.formed = formed    # the highest counter of its own groups
        self.led = led          # the highest token that it led with
        self.incarnation = self.seq = None
        self.role, self.group, self.token = "none", None, 0
        self.leads = False      # it has led in this life


class Judge:
    def __init__(self):
        self.seen = {}          # host: Seen
        self.coordinators = {}  # id of a group: coordinator
        self.holders = {}       # token: id of the host that leads with it
        self.lists = {}         # group: {id of a host: [membership lists, in order]}
        self.broken = []        # (rule, text)
        self.records = self.leaders = 0

    def take(self, events):
        """Takes the records since the last call, until all hosts agree: (time, host, event)."""
        for _, host, event in sorted(events, key=lambda item: item[2]["boot_ms"]):
            seen = self.seen.setdefault(host, Seen())
            status = event["status"]
            if event["event"] == "snapshot":
                seen = self._lives_anew(host, seen, int(status["node"]["incarnation"]))
            self.records += 1
            self.leaders += event["event"] == "leader"
            for name, rule in RULES:
                text = rule(self, seen, host.id, event)
                if text:
                    self.broken.append((name, "%s, %d ms: %s" % (
                        host.name, event["boot_ms"], text)))
            remember(seen, host.id, event)
        self._same_lists()

    def _lives_anew(self, host, before, incarnation):
        """The number of a life that never led may not have reached the disk."""
        after = self.seen[host] = Seen(before.formed, before.led)
        after.incarnation = incarnation
        if before.incarnation is not None and incarnation < before.incarnation + before.leads:
            self.broken.append(("S5", "%s starts as incarnation %d after %d" % (
                host.name, incarnation, before.incarnation)))
        return after

    def _same_lists(self):
        """S2: members show the membership lists of their coordinator, in its order. If the
        coordinator has left the group, its members may have one further list, which must be the
        same on all."""
        groups = {host.id: seen.group for host, seen in self.seen.items()}
        for key, shown in self.lists.items():
            theirs, more = shown.get(key[0], []), []
            for lists in shown.values():
                rest = iter(theirs)
                more += [one for one in lists if one not in rest and one not in more]
            if len(more) > (groups.get(key[0]) != key):
                self.broken.append(("S2", "group %s: lists %s, which the coordinator never showed;"
                                    " it showed %s" % (key, more, theirs)))
        self.lists = {key: {i: lists[-1:] for i, lists in shown.items()}
                      for key, shown in self.lists.items() if key in groups.values()}


def key_of(group):
    return group and (group["coordinator"], int(group["counter"]))


def remember(seen, own, event):
    status = event["status"]
    seen.seq, seen.role, seen.group = event["seq"], status["role"], key_of(status["group"])
    seen.token = max(seen.token, int(status["token"]))
    if seen.group and seen.group[0] == own:
        seen.formed = max(seen.formed, seen.group[1])
    if seen.role == "leader":
        seen.led, seen.leads = max(seen.led, int(status["token"])), True


# ---- rules: each returns what is wrong with a record, or None ----------------------------------------


def every_event(_, seen, own, event):
    if seen.seq is not None and event["seq"] != seen.seq + 1:
        return "event %d after %d" % (event["seq"], seen.seq)
    return None


def one_coordinator(judge, seen, own, event):
    """Only a Normal host certainly knows its coordinator, which is part of the group's id."""
    group, members = event["status"]["group"], event["status"]["members"]
    if not group or event["status"]["state"] != "normal":
        return None
    ids = [member["id"] for member in members]
    lists = judge.lists.setdefault(key_of(group), {}).setdefault(own, [])
    if ids not in lists[-1:]:
        lists.append(ids)
    if judge.coordinators.setdefault(group["id"], group["coordinator"]) != group["coordinator"]:
        return "%s has another coordinator" % group["id"]
    if ids[:1] != [group["coordinator"]]:
        return "the list of %s begins with %s" % (group["id"], ids[:1])
    return None


def formed_once(_, seen, own, event):
    key = key_of(event["status"]["group"])
    if key and key[0] == own and key != seen.group and key[1] <= seen.formed:
        return "it forms group %d after group %d" % (key[1], seen.formed)
    return None


def own_list(_, seen, own, event):
    ids = [member["id"] for member in event["status"]["members"]]
    if event["status"]["state"] == "normal" and (own not in ids or len(set(ids)) != len(ids)):
        return "it is normal with members %s" % ids
    return None


def leader_and_token(_, seen, own, event):
    status = event["status"]
    role, leader, token = status["role"], status["leader"], int(status["token"])
    if (role == "none") != (leader is None) or (role == "none") != (token == 0):
        return "role %s, leader %s, token %d" % (role, leader, token)
    if leader and (role == "leader") != (leader["id"] == own):
        return "role %s, leader %s" % (role, leader)
    if role == "leader" and status["state"] == "normal" and status["group"]["coordinator"] != own:
        return "it leads group %s" % status["group"]["id"]
    return None


def token_rises(_, seen, own, event):
    """A new life has forgotten the tokens that the host heard, but not those that it led with."""
    token, role = int(event["status"]["token"]), event["status"]["role"]
    if token and token < seen.token:
        return "token %d after %d" % (token, seen.token)
    if role == "leader" and seen.role != "leader" and token <= seen.led:
        return "it begins to lead with token %d, and led with %d before" % (token, seen.led)
    return None


def one_holder(judge, seen, own, event):
    token, leader = int(event["status"]["token"]), event["status"]["leader"]
    if leader and judge.holders.setdefault(token, leader["id"]) != leader["id"]:
        return "token %d of %s was that of %s" % (token, leader["id"], judge.holders[token])
    return None


RULES = (("events", every_event), ("S1", one_coordinator), ("S3", formed_once), ("S4", own_list),
         ("S4", leader_and_token), ("S5", token_rises), ("S5", one_holder))
NAMES = "events", "S1", "S2", "S3", "S4", "S5"


# ---- planted violations --------------------------------------------------------------------------------


class Planted:
    """Three hosts; c leads group c.1 with token 10."""

    def __init__(self, name):
        self.name, self.id = name, name


HOSTS = {name: Planted(name) for name in "abc"}
USUAL = dict(event="state", role="follower", state="normal", group=("c", 1), members="cba",
             leader="c", token=10, skip=0)
GOOD = (dict(at="c", event="snapshot", role="none", state="down", group=None),
        dict(at="c", role="leader"), dict(at="b", event="snapshot"), dict(at="a", event="snapshot"))
# A rule, and records after GOOD that break it; without a rule the records are allowed.
PLANTED = (
    (None, dict(at="a", group=("b", 2), members="ba", leader="b", token=11),
     dict(at="b", role="leader", group=("b", 2), members="ba", leader="b", token=11)),
    (None, dict(at="a", event="snapshot", token=9, group=("b", 2), members="ba", leader="b")),
    ("events", dict(at="a", skip=1)),
    ("S1", dict(at="a", members="bca")),
    ("S2", dict(at="a", members="ca")),
    ("S3", dict(at="c", role="none", state="down", group=None), dict(at="c", role="leader", token=11)),
    ("S4", dict(at="a", members="cb")),
    ("S4", dict(at="a", role="leader", leader="a", token=11)),
    ("S4", dict(at="a", leader=None)),
    ("S5", dict(at="a", token=9)),
    ("S5", dict(at="b", role="leader", group=("b", 2), members="ba", leader="b")),
    ("S5", dict(at="c", role="none", group=None, state="down"),
     dict(at="c", role="leader", group=("c", 2))),
    ("S5", dict(at="c", event="snapshot", role="none", state="down", group=None)),
)


def verdict(records):
    judge, events = Judge(), []
    seq = dict.fromkeys(HOSTS, 0)
    for number, record in enumerate(records):
        r = {**USUAL, **record}
        nobody = r["role"] == "none"
        seq[r["at"]] += 1 + r["skip"]
        events.append((0, HOSTS[r["at"]], {
            "event": r["event"], "seq": seq[r["at"]], "boot_ms": number, "status": {
                "node": {"incarnation": "1"}, "role": r["role"], "state": r["state"],
                "token": "0" if nobody else str(r["token"]),
                "leader": None if nobody or not r["leader"] else {"id": r["leader"]},
                "group": r["group"] and {"id": "%s.%d" % r["group"], "coordinator": r["group"][0],
                                         "counter": str(r["group"][1])},
                "members": [{"id": i} for i in r["members"]]}}))
    judge.take(events)
    return [name for name, _ in judge.broken]


def planted():
    for rule, *records in PLANTED:
        found = verdict((*GOOD, *records))
        if rule not in found if rule else found:
            raise Failed("%s: %s is found, %s is broken" % (records, found, rule))
    return "%d" % len(PLANTED)
