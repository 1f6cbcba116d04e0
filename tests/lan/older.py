#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two hosts of an older electd and three of this one on a LAN: kill, cut, restart, heal.

older.py [RUNS [0.1 | bully]]: both parts unless one is named.
0.1: first all hosts are upgraded, one after another. Then each fault RUNS times (3), once with the two
older hosts where no host would have them lead, and once where all would.
bully: the two older hosts elect by bully, and give way to those of this version.
The older daemons are built out of the history of this repository, in $HISTORY or here, unless
$ELECTD_OLDER and $ELECTD_BULLY name them.
"""
import contextlib
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

import lan
import report
import windows
from insider import Insider
from lan import BEACON, DEAD_AFTER, LONE_HOLD
from report import Failed

# The last commit of 0.1: before fields that it skips, and words that it refuses.
OLDER = "37cfcedb22af"
# The last commit whose electd could elect by bully: algorithm = "bully".
BULLY = "7cc4f4f887f3"
HERE = os.path.dirname(os.path.abspath(__file__))
HISTORY = os.environ.get("HISTORY", os.path.join(HERE, "..", ".."))
BUILD = "autoreconf -i && ./configure -q && make -j2 electd"
HOSTS = 5
OLD = {"below": (1, 2), "above": (4, 5)}      # of two that are equal, the larger id leads

SOON = DEAD_AFTER / 3
SILENT = DEAD_AFTER + 0.4
MERGED = 25 * BEACON + 2.0      # with the longest wait before a merge
RUN_MS = 1500      # what a program of `electctl run` takes to end
DEGRADED = 6       # status of `electctl check`
OTHER_HEARD = 60   # seconds for which a host reports another algorithm after its last message
# Two algorithms: a beacon, two round trips and the demotion, which takes no time here.
BOTH_LEAD = BEACON + 0.1


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


# ---- the older daemons ---------------------------------------------------------------------------


def git(*words):
    return ["git", "-c", "safe.directory=*", "-C", HISTORY, *words]


def history_has(commit):
    return bool(shutil.which("git")) and not subprocess.run(
        git("cat-file", "-e", commit + "^{commit}"), check=False,
        stderr=subprocess.DEVNULL).returncode


def build(folder, commit):
    """The path of the electd of that commit."""
    folder = os.path.join(folder, commit)
    os.mkdir(folder)
    with subprocess.Popen(git("archive", commit), stdout=subprocess.PIPE) as archive:
        subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
    done = subprocess.run(BUILD, shell=True, cwd=folder, check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit("%s cannot be built: %s" % (commit, done.stdout[-2000:]))
    return os.path.join(folder, "electd")


class Mixed:
    """Some hosts of the older version, with `config`, the others of this one."""

    def __init__(self, program, numbers, config=""):
        self.program, self.numbers, self.config = program, numbers, config

    def __call__(self, net, number, config):
        host = lan.Host(net, number, self.config if number in self.numbers else config)
        host.older = number in self.numbers
        if host.older:
            host.program = self.program
        return host


# ---- what is so ----------------------------------------------------------------------------------


def beside(net, mark, ends=(), leads=()):
    """For how long two hosts led at once since then. `ends`: (time, host) that was ended. `leads`: the
    hosts that led then."""
    leads, since, total = set(leads), 0.0, 0.0
    said = [(at, h, e["status"]["role"] == "leader") for at, h, e in net.since(mark)]
    for at, host, is_leader in sorted(said + [(at, h, False) for at, h in ends],
                                      key=lambda item: item[0]):
        if len(leads) > 1:
            total += at - since
        since = at
        leads = leads | {host} if is_leader else leads - {host}
    return total


def one_group(net, mark, old):
    """Formed since then."""
    formed = [g for g in net.groups_since(mark) if g != old]
    check(len(formed) == 1, "%d groups formed: %s", len(formed), formed)


def whole(net):
    """All agree, and nothing of before is under way."""
    net.settle()
    time.sleep(random.uniform(0.25, 1.25) * BEACON)


# ---- what happens --------------------------------------------------------------------------------


def killed(net, runs):
    """All go one way, at once if the one that is gone has left a will."""
    times = {True: [], False: []}
    for _ in range(runs):
        whole(net)
        victim, rest = net.leader_and_others()
        group, mark = victim.group(), net.mark()
        at = victim.kill()
        took = net.wait("the next leader", lambda: net.led(rest) and
                        rest[0].group() != group) - at
        net.wait("the dead one is dropped", lambda: net.agreed(rest))
        one_group(net, mark, group)
        check(beside(net, mark, [(at, victim)]) == 0, "two led")
        check(took < (SILENT if victim.older else SOON), "%s: after %.0f ms", victim.name,
              took * 1000)
        times[victim.older].append(took)
        mark = net.mark()
        victim.start()
        net.settle()
        check(not [g for g in net.groups_since(mark) if g != rest[0].group()],
              "its return formed a group")
    return "; ".join("%s: %s" % ("0.1" if older else "this version", report.statistics(t))
                     for older, t in times.items() if t)


def with_work(net, runs):
    """It has something to end first, which 0.1 knows nothing of: a host of this version waits for
    it, one of 0.1 for dead_after at least, and all are one group in the end."""
    led_by = {True: [], False: []}
    script = "trap 'sleep %.3f; exit 0' TERM; while :; do sleep 0.01; done" % (RUN_MS / 1000)
    for _ in range(runs):
        whole(net)
        victim, rest = net.leader_and_others()
        with subprocess.Popen([lan.ELECTCTL, "--socket", victim.socket_path, "run", "--", "sh",
                               "-c", script], stderr=subprocess.DEVNULL) as holder:
            time.sleep(0.5)
            group, mark, at = victim.group(), net.mark(), victim.kill()
            took = net.wait("the next leader", lambda: net.led(rest) and
                            rest[0].group() != group) - at
            holder.terminate()
        check(beside(net, mark, [(at, victim)]) == 0, "two led")
        next_one = next(h for h in rest if h.view["role"] == "leader")
        least = RUN_MS / 1000 if not victim.older and not next_one.older else DEAD_AFTER / 2
        check(took >= least, "%s after %s: after %.0f ms", next_one.name, victim.name, took * 1000)
        check(took < RUN_MS / 1000 + SILENT, "after %.0f ms", took * 1000)
        led_by[next_one.older].append(took)
        victim.start()
        net.settle()
    return "; ".join("then led %s: %s" % ("0.1" if older else "this version", report.statistics(t))
                     for older, t in led_by.items() if t)


def cut(net, parts_of, runs):
    """Each part agrees, soon, and one merge makes one group of all."""
    apart, merged = [], []
    for _ in range(runs):
        net.restart()       # else they wait longer and longer before a merge
        whole(net)
        parts = parts_of(net)
        mark, before = net.mark(), {net.leader().group()}
        at = net.split(*parts)
        for part in parts:
            took = net.wait("a leader in each part", lambda part=part: net.agreed(part)) - at
            check(took < DEAD_AFTER + LONE_HOLD + 1.0, "after %.0f ms", took * 1000)
        apart.append(took)
        formed = {h.group() for h in net.hosts}
        others = set(net.groups_since(mark)) - formed - before
        check(not others, "other groups than those of the parts: %s", others)
        mark, at = net.mark(), net.heal()
        merged.append(net.wait("one group after the heal", net.agreed) - at)
        one = [g for g in net.groups_since(mark) if g not in formed]
        check(len(one) == 1, "%d groups formed by one heal: %s", len(one), one)
        check(merged[-1] < MERGED, "healed after %.0f ms", merged[-1] * 1000)
    return "apart: %s; one group: %s" % (report.statistics(apart), report.statistics(merged))


def leader_alone(net):
    leader = net.leader()
    return [leader], [h for h in net.hosts if h is not leader]


def by_version(net):
    return [h for h in net.hosts if h.older], [h for h in net.hosts if not h.older]


def at_random(net):
    hosts = random.sample(net.hosts, HOSTS)
    return hosts[:2], hosts[2:]


def restarted(net, runs):
    """A leader at once after it was killed, and a member."""
    times = []
    for n in range(2 * runs):
        whole(net)
        leader, rest = net.leader_and_others()
        victim = random.choice(rest) if n % 2 else leader
        mark, group = net.mark(), leader.group()
        at = victim.kill()
        victim.start()
        net.wait("agreement after a restart", lambda: net.agreed() and victim.view and
                 (victim is not leader or victim.group() != group))
        times.append(lan.now() - at)
        time.sleep(2 * DEAD_AFTER)
        formed = [g for g in net.groups_since(mark) if g != group]
        check(len(formed) == (victim is leader), "%s: %d groups formed", victim.name, len(formed))
        check(beside(net, mark, [(at, victim)]) == 0, "two led")
    return report.statistics(times)


def nothing(net, runs):
    whole(net)
    time.sleep(2 * DEAD_AFTER)
    net.quiet(runs)
    return "%d s" % runs


def renamed(net, _):
    """A host of this version takes another name: all show it, or none but itself where 0.1 leads.
    A list with it harms nobody."""
    whole(net)
    leader, mark = net.leader(), net.mark()
    host = next(h for h in net.hosts if not h.older and h is not leader)
    group = leader.group()
    shown = {}
    for name in ("other-name", host.name):
        with open(host.config) as f:
            text = f.read()
        with open(host.config, "w") as f:
            f.write(re.sub('name = "[^"]*"', 'name = "%s"' % name, text))
        check(host.electctl("reload").returncode == 0, "the reload fails")
        wanted = [host.name if leader.older else name] * HOSTS

        def now_shown():
            return [next(m["name"] for m in h.call("io.electd.GetStatus")["members"]
                         if m["id"] == host.id) for h in net.hosts]
        lan.until("all show %s" % wanted[0], lambda wanted=wanted: now_shown() == wanted, 5)
        check(host.call("io.electd.GetStatus")["node"]["name"] == name, "it has its former name")
        time.sleep(4 * BEACON)
        shown[name] = now_shown()[0]
        check(now_shown() == wanted, "they show %s", now_shown())
    check(not [g for g in net.groups_since(mark) if g != group], "another group was formed")
    check(net.leader() is leader, "another host leads")
    return "led by %s, shown %s" % ("0.1" if leader.older else "this version", shown["other-name"])


def upgraded(net, leader_first):
    """One after another, the leader first each time or last: after each one all are one group, and
    the next leads when the leader is killed."""
    for host in net.running():
        host.kill()
    net.start()
    words = []
    while any(h.older for h in net.hosts):
        whole(net)
        leader = net.leader()
        host = next(h for h in sorted(net.hosts, key=lambda h: (h is leader) != leader_first)
                    if h.older)
        host.stop()
        net.wait("the others agree", net.agreed)
        host.program, host.older = lan.ELECTD, False
        host.start()
        net.settle()
        words.append("%s: %s" % (host.name, killed(net, 1)))
    return "; ".join(words)


def damaged(net, runs):
    """Sequences of all hosts are forged to those of this version; one of 0.1 has no defence."""
    with (contextlib.closing(Insider(net, False)) as insider,
          contextlib.closing(windows.Forger(net, insider)) as forger):
        pairs = [(a, b) for a, b in windows.all_pairs(net) if not b.older]
        times = []
        for _ in range(runs):
            whole(net)
            times.append(windows.attacked(net, insider, forger, "all sequences",
                                          lambda forger: windows.damage(forger, pairs)))
    return report.statistics(times)


# ---- hosts that elect by bully -------------------------------------------------------------------


def live(net):
    ended = ["%s with %d" % (h.name, h.process.returncode) for h in net.running()
             if h.process.poll() is not None]
    check(not ended, "daemons ended: %s", ended)


def gives_way(net):
    """All hosts of this version are one group with a leader, and no host leads by bully."""
    olds, news = by_version(net)
    return net.agreed(news) and all(h.view and h.view["role"] != "leader" for h in olds)


def given_way(net, mark, leader, ends=()):
    """Waits until the bully hosts have given way: for how long two hosts led at once since then, when
    that leader led."""
    net.wait("the bully hosts give way", lambda: gives_way(net))
    both = beside(net, mark, ends, {leader})
    check(both < BOTH_LEAD, "two led for %.0f ms", both * 1000)
    live(net)
    return both


def reported(host, olds):
    """Whether `electctl status` and `electctl check` of a host name one of the others by any of its
    addresses and its id, and check is DEGRADED."""
    done = host.electctl("check")
    texts = [" ".join(text.split()) for text in (done.stdout, host.electctl("status").stdout)]
    words = r"other-algorithm: (%s|fe80::\S+) \(id (%s)\) runs another election algorithm" % (
        "|".join(re.escape(h.address) for h in olds), "|".join(h.id[:8] for h in olds))
    return done.returncode == DEGRADED and all(re.search(words, text) for text in texts)


def bully_leads_first(net, runs):
    """Hosts of this version come to a LAN that is led by bully."""
    olds, news = by_version(net)
    times, took = [], []
    for _ in range(runs):
        for host in net.running():
            host.kill()
        for host in olds:
            host.start()
        net.wait("a leader by bully", lambda: net.agreed(olds))
        leader, mark, at = net.leader(), net.mark(), lan.now()
        token = leader.token()
        for host in news:
            host.start()
        times.append(given_way(net, mark, leader))
        took.append(lan.now() - at)
        check(net.leader().token() > token, "token %d after token %d of bully",
              net.leader().token(), token)
        time.sleep(2 * LONE_HOLD)
        check(gives_way(net), "%s leads", [h.name for h in net.hosts if h.view["role"] == "leader"])
    return "led after: %s; two led: %s" % (report.statistics(took), report.statistics(times))


def bully_is_reported(net):
    """By each host of this version, and the host that is named runs it."""
    olds, news = by_version(net)
    for host in news:
        lan.until("a report by %s" % host.name, lambda host=host: reported(host, olds))
    live(net)


def bully_restarts(net, runs):
    """A host of either kind, the one that leads and the others in turn."""
    both, rest = [], []
    for n in range(2 * runs):
        olds, news = by_version(net)
        leader, mark = net.leader(), net.mark()
        host = olds[n // 2 % len(olds)] if n % 2 else leader
        at = host.kill()
        if host is leader:
            others = [h for h in news if h is not leader]
            net.wait("the next leader", lambda others=others: net.led(others))
        host.start()
        both.append(given_way(net, mark, leader, [(at, host)]))
        rest.append(host)
    return "%s; two led: %s" % (" ".join(h.name for h in rest), report.statistics(both))


def bully_leads_again(net, runs):
    """All hosts of this version end, the others lead meanwhile, and give way again, to a higher token
    than all before. The older daemon may not have lifted its counter to that of this version yet."""
    both = []
    for _ in range(runs):
        olds, news = by_version(net)
        tokens = [net.leader().token()]
        for host in news:
            host.stop()
        net.wait("a leader by bully", lambda olds=olds: net.agreed(olds))
        leader, mark = net.leader(), net.mark()
        tokens.append(leader.token())
        for host in news:
            host.start()
        both.append(given_way(net, mark, leader))
        tokens.append(net.leader().token())
        check(tokens[2] > max(tokens[:2]), "tokens %s", tokens)
    return "two led: %s" % report.statistics(both)


def degraded(host):
    """As its metrics have it, whether or not a client has asked for its status lately."""
    return int(re.search(r"^electd_degraded\S* (\d)$", host.electctl("metrics").stdout, re.M)[1])


def bully_ends(net):
    """Nothing is reported a minute later."""
    olds, news = by_version(net)
    for host in olds:
        host.stop()
    at = lan.now()
    check(all(degraded(host) for host in news), "the metrics do not have what is reported")
    for host in news:
        lan.until("%s is well" % host.name, lambda host=host: not degraded(host),
                  OTHER_HEARD + lan.PATIENCE)
        check(not host.electctl("check").returncode, "%s: check and metrics differ", host.name)
    check(net.agreed(news), "they are not one group any more")
    return "after %.0f s" % (lan.now() - at)


def bully(result, program, runs):
    with lan.Lan(HOSTS, kind=Mixed(program, OLD["above"], 'algorithm = "bully";')) as net:
        for name, function, *words in (
                ("they lead first", bully_leads_first, runs),
                ("they are reported", bully_is_reported),
                ("restarted", bully_restarts, runs),
                ("they lead again", bully_leads_again, runs),
                ("they are reported again", bully_is_reported),
                ("they end", bully_ends)):
            result.attempt("hosts that elect by bully, " + name, function, net, *words)
        if result.failed:
            net.print_logs()


# ---- hosts of 0.1 --------------------------------------------------------------------------------


def upgrades(result, program):
    for order in ("the leader first", "the leader last"):
        with lan.Lan(HOSTS, kind=Mixed(program, range(1, HOSTS + 1))) as net:
            result.attempt("all of 0.1 are upgraded, " + order, upgraded, net,
                           order == "the leader first")
            if result.failed:
                net.print_logs()


def scenes(result, program, where, runs):
    with lan.Lan(HOSTS, kind=Mixed(program, OLD[where])) as net:
        net.start()
        for name, function, *words in (
                ("a leader is killed", killed),
                ("a leader with work is killed", with_work),
                ("the leader is cut off", cut, leader_alone),
                ("the versions are cut apart", cut, by_version),
                ("two are cut off", cut, at_random),
                ("restarted", restarted),
                ("a host has another name", renamed),
                ("sequences are forged", damaged),
                ("nothing happens", nothing)):
            result.attempt("0.1 %s, %s" % (where, name), function, net, *words, runs)
            net.heal()      # one that failed may have left it apart
        if result.failed:
            net.print_logs()


def of_01(result, program, runs):
    upgrades(result, program)
    for where in OLD:
        scenes(result, program, where, runs)


PARTS = {"0.1": (OLDER, "ELECTD_OLDER", of_01), "bully": (BULLY, "ELECTD_BULLY", bully)}


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    parts = [PARTS[name] for name in sys.argv[2:] or PARTS]
    result = report.Report()
    for commit, variable, _ in parts:
        if variable not in os.environ and not history_has(commit):
            print("commit %s is not in the history here" % commit)
            sys.exit(77)
    lan.setup()
    with tempfile.TemporaryDirectory(prefix="electd-older.") as folder:
        for commit, variable, scene in parts:
            scene(result, os.environ.get(variable) or build(folder, commit), runs)
    result.exit()


if __name__ == "__main__":
    main()
