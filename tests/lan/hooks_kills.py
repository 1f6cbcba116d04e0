# SPDX-License-Identifier: Apache-2.0
"""electd and electd-hookd of three hosts are killed at random until leadership has changed hands so
often; judged from what the hooks of all hosts wrote down. For hooks.py, which runs handovers().
"""
import random
import signal
import time

import hooked
import lan
from hooked import DEMOTIONS, FIRST, World, check

class Killer:
    """Kills at random; what it killed comes again after a while."""

    def __init__(self, w, chance):
        self.w, self.chance = w, chance
        self.count = dict.fromkeys(
            ("electd killed", "hookd killed", "both killed", "resign", "stop"), 0)
        self.back = []     # (time, who)

    def strike(self):
        host = self.chance.choice(self.leaders() if self.chance.random() < 0.7 else
                                  self.w.net.running())
        hooks = self.w.hooked[host]
        what = self.chance.choice(list(self.count))
        self.count[what] += 1
        if what in ("hookd killed", "both killed") and hooks.process:
            hooks.end(signal.SIGKILL)
            self.later(hooks)
        if what in ("electd killed", "both killed"):
            host.kill()
            self.later(host)
        if what == "stop":
            if hooks.process:
                hooks.end()
                self.later(hooks)
            host.stop()
            self.later(host)
        if what == "resign":
            host.ask("io.electd.Resign", **{"for": 1})

    def later(self, who):
        self.back.append((lan.now() + self.chance.uniform(0, 0.5), who))

    def bring_back(self, all_of_them=False):
        """Those whose time has come."""
        for at, who in list(self.back):
            if all_of_them or lan.now() >= at:
                self.back.remove((at, who))
                who.start()

    def leaders(self):
        with self.w.net.condition:
            return [h for h in self.w.net.running() if h.view and h.view["role"] == "leader"] or \
                self.w.net.running()

    def led(self):
        """Until those who run have a leader."""
        end = lan.now() + lan.PATIENCE
        while True:
            with self.w.net.condition:
                if self.w.net.running() and self.w.net.led():
                    return
            check(lan.now() < end, "nobody leads")
            self.bring_back()
            time.sleep(0.005)

    def soon(self):
        """Sometimes in the middle of things, sometimes when all is quiet."""
        until = lan.now() + self.chance.choice((0, 0.05, 0.3))
        while lan.now() < until or self.back and self.chance.random() < 0.9:
            self.bring_back()
            time.sleep(0.005)


def leaderships(w):
    """How often another host led than before, by the scripts of all of them."""
    leads = sorted((r for one in w.hooked.values() for r in one.runs()
                    if r.event == "leader" and r.name == FIRST), key=lambda r: r.begin)
    return sum(a.host is not b.host for a, b in zip(leads, leads[1:]))


def handovers(times, seed):
    chance = random.Random(seed)
    with World(3) as w:
        killer = Killer(w, chance)
        for one in w.hooked.values():
            for event in ("leader", *DEMOTIONS):
                one.do(event, chance.choice((0, 0, 20, 100)))
        end = lan.now() + 60 + 10 * times
        while leaderships(w) < times:
            check(lan.now() < end, "%d hand-overs only: %s", leaderships(w), killer.count)
            killer.led()
            killer.strike()
            killer.soon()
        killer.bring_back(all_of_them=True)
        w.net.settle()
        for one in w.hooked.values():
            one.wait("its role", lambda r, one=one: r.token == w.net.leader().token() and
                     r.event == one.host.view["role"])
        leads, demotions = hooked.judge(w.hooked)
        runs = sum(len(one.runs()) for one in w.hooked.values())
        return "%d hand-overs, %d leader, %d demotions, %d runs; %s" % (
            leaderships(w), leads, demotions, runs,
            ", ".join("%s %d" % item for item in killer.count.items()))
