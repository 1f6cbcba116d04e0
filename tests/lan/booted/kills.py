#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hand-overs while daemons are killed, and the journals of all hosts judged.

kills.py [N [SEED]]: on three booted hosts until `leader` was begun N times (200): the leader is
told to resign, stopped and started, its electd or its electd-hookd or both are killed, at random
moments, also half way through another hand-over. Scripts take up to 100 ms, so many are hit. On no
host may a `leader` come without the demotion of the one before it.
"""
import contextlib
import random
import sys
import time

import hosts
from hosts import Failed
import report
import story

CONFIG = "timing = { beacon_interval_ms = 50; dead_after_ms = 300; start_hold_ms = 150; };\n"
WORK = "sleep 0.0$(($$ % 10))\n"


def resign(_, host):
    host.electctl("resign", "--for", "1", check=False)


def stop_and_start(_, host):
    host.systemctl("stop", "electd")
    host.systemctl("start", "electd")


def kill_electd(_, host):
    with contextlib.suppress(Failed):
        host.kill("electd")


def kill_hookd(told, host):
    with contextlib.suppress(Failed):
        told.kill_hookd(host)


ACTIONS = (resign, resign, stop_and_start, kill_electd, kill_electd, kill_hookd, kill_hookd)


def hand_overs(lan, told, count, chance):
    done, acts = 0, 0
    while done < count:
        for _ in range(10):
            host = next((h for h in lan.hosts if h.leads()), None) or chance.choice(lan.hosts)
            for _ in range(chance.randint(1, 3)):
                chance.choice(ACTIONS)(told, host)
                acts += 1
                time.sleep(chance.uniform(0, 0.25))
            time.sleep(chance.choice((0, 0.3, 0.6)))
        done = sum(e.event == "leader" and e.words[:2] == ["hook", "begin"]
                   for e in told.entries())
    lan.settle()
    return "%d times `leader` in %d acts" % (done, acts)


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(10 ** 6)
    result = report.Report()
    hosts.setup()
    print("    kills: seed %d" % seed)
    with hosts.Lan() as lan:
        told = story.Story(lan)
        told.start(CONFIG, WORK)
        # For the moment in which hookd is not there nobody holds leadership back.
        with told.apart():
            result.attempt("hand-overs", hand_overs, lan, told, count, random.Random(seed))
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
