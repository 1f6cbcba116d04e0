# SPDX-License-Identifier: Apache-2.0
"""The views of all hosts together: the leader, since when, and how often that changed."""
import lan


def role(view):
    return view and view["role"]


def said(view):
    """Describes a view, for failure messages."""
    if not view:
        return "says nothing"
    return view["role"] + (" of " + view["leader"]["id"] if view["leader"] else "")


def agreed(views):
    """One host leads and the others follow; all hosts that name a leader name the same."""
    leaders = [v for v in views if role(v) == "leader"]
    return (len(leaders) == 1 and
            all(role(v) in ("leader", "follower") for v in views) and
            len({v["leader"] and v["leader"]["id"] for v in views}) == 1)


class Watch:
    """Records all views from its creation on."""

    def __init__(self, net):
        self.net = net
        with net.condition:
            net.events = []
            self.began = lan.now()
            self.first = {host: host.view for host in net.hosts}

    def steps(self):
        """Yields (since when, {host: view}) at the beginning and after each event."""
        views = dict(self.first)
        yield self.began, views
        for at, host, event in self.net.since(0):
            views[host] = event["status"]
            yield at, views

    def _spans(self, judge, until):
        """Returns (begin, end) of the times in which judge(views) was true."""
        begin, spans = None, []
        for at, views in self.steps():
            good = judge(views)
            if good and begin is None:
                begin = at
            elif not good and begin is not None:
                spans.append((begin, at))
                begin = None
        if begin is not None:
            spans.append((begin, until))
        return [span for span in spans if span[1] > span[0]]

    def forget(self, host):
        """Forgets the view of a host that was killed or stalled."""
        self.first[host] = None

    def since(self, judge):
        """The time since which it is true; None if it is not."""
        now = lan.now()
        spans = self._spans(judge, now)
        return spans[-1][0] if spans and spans[-1][1] == now else None

    def lasted(self, judge):
        """For how many seconds it was true in total."""
        return sum(end - begin for begin, end in self._spans(judge, lan.now()))

    def agreed(self, hosts):
        return self.since(lambda views: agreed([views[h] for h in hosts]))

    def leaders(self, count, hosts):
        """For how long at least `count` of them led (0: none)."""
        def judge(views):
            n = sum(role(views[h]) == "leader" for h in hosts)
            return n >= count if count else n == 0
        return self.lasted(judge)

    def changes(self, hosts):
        """How often another host began to lead."""
        began, leading = 0, {h for h in hosts if role(self.first[h]) == "leader"}
        for _, views in self.steps():
            now = {h for h in hosts if role(views[h]) == "leader"}
            began += len(now - leading)
            leading = now
        return began
