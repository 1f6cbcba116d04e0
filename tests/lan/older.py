#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hosts with an older electd and hosts with this one on a LAN; stories cannot run the older
program.

older.py [0.1 | bully]: both parts unless one is named. 0.1: five hosts are upgraded one after
another; then two hosts of 0.1 next to three of this version. bully: two hosts that elect by bully
give way to those of this version. The older daemons are built from the history of this repository,
in $HISTORY or here, unless $ELECTD_OLDER and $ELECTD_BULLY name them."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lan
import report
from report import Failed

# The last commit of 0.1: before fields that 0.1 skips, and messages that it refuses.
OLDER = "37cfcedb22af"
# The last commit whose electd could elect by bully: algorithm = "bully".
BULLY = "7cc4f4f887f3"
HERE = os.path.dirname(os.path.abspath(__file__))
HISTORY = os.environ.get("HISTORY", os.path.join(HERE, "..", ".."))
BUILD = "autoreconf -i && ./configure -q && make -j2 electd"
HOSTS = 5       # of two equal hosts, the larger id leads
DEGRADED = 6    # status of `electctl check`


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def git(*words):
    return ["git", "-c", "safe.directory=*", "-C", HISTORY, *words]


def history_has(commit):
    return bool(shutil.which("git")) and not subprocess.run(
        git("cat-file", "-e", commit + "^{commit}"), check=False,
        stderr=subprocess.DEVNULL).returncode


def build(folder, commit):
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
    """Some hosts run the older version, with `config`, the others this one."""

    def __init__(self, program, numbers, config=""):
        self.program, self.numbers, self.config = program, numbers, config

    def __call__(self, net, number, config):
        host = lan.Host(net, number, self.config if number in self.numbers else config)
        host.older = number in self.numbers
        if host.older:
            host.program = self.program
        return host


def two_led(net, mark, ended=None):
    """Whether two hosts led at once since then; `ended`: a host that has ended."""
    leads = set()
    for _, host, event in net.since(mark):
        if event["status"]["role"] == "leader":
            leads |= {host}
        else:
            leads -= {host}
        if len(leads - {ended}) > 1:
            return True
    return False


def formed(net, mark, *known):
    return [group for group in net.groups_since(mark) if group not in known]


# ---- hosts of 0.1 --------------------------------------------------------------------------------

def killed(net):
    """All other hosts choose one leader, and the return of the killed host forms no group."""
    victim, _ = net.leader_and_others()
    rest = [h for h in net.hosts if h is not victim]
    group, mark = victim.group(), net.mark()
    victim.kill()
    net.wait("the next leader", lambda: net.led(rest) and rest[0].group() != group)
    net.wait("the dead host is dropped", lambda: net.agreed(rest))
    check(len(formed(net, mark, group)) == 1, "groups %s formed", formed(net, mark, group))
    check(not two_led(net, mark, victim), "two led")
    group, mark = rest[0].group(), net.mark()
    victim.start()
    net.settle()
    check(not formed(net, mark, group), "its return formed a group")


def upgraded(net):
    """One host after another, the leader first. After each upgrade all hosts are one group, and
    another host leads when the leader is killed."""
    net.start()
    while any(h.older for h in net.hosts):
        net.settle()
        host = next(h for h in sorted(net.hosts, key=lambda h: h is not net.leader()) if h.older)
        host.stop()
        net.wait("the others agree", net.agreed)
        host.program, host.older = lan.ELECTD, False
        host.start()
        killed(net)


def with_work(net):
    """The leader, of this version, must first end some work; 0.1 does not know of such waits."""
    net.start()
    net.settle()
    victim, rest = net.leader_and_others()
    check(not victim.older, "a host of 0.1 leads")
    done = os.path.join(net.dir, "done")
    script = "trap 'sleep 1; : >%s; exit' TERM; echo; while :; do sleep 0.02; done" % done
    with subprocess.Popen([lan.ELECTCTL, "--socket", victim.socket_path, "run", "--", "sh", "-c",
                           script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as holder:
        holder.stdout.readline()
        group, mark = victim.group(), net.mark()
        victim.kill()
        net.wait("the next leader", lambda: any(h.view["role"] == "leader" for h in rest))
        check(os.path.exists(done), "a host leads before its work has ended")
    net.wait("all follow it", lambda: net.led(rest) and rest[0].group() != group)
    check(not two_led(net, mark, victim), "two led")
    victim.start()
    net.settle()


def cut(net):
    """The versions are separated; when they meet, one merge makes one group of all."""
    net.settle()
    parts = [h for h in net.hosts if h.older], [h for h in net.hosts if not h.older]
    net.split(*parts)
    for part in parts:
        net.wait("a leader in each part", lambda part=part: net.agreed(part))
    groups, mark = {h.group() for h in net.hosts}, net.mark()
    net.heal()
    net.settle()
    check(len(formed(net, mark, *groups)) == 1, "groups %s formed", formed(net, mark, *groups))


def renamed(net):
    """A host of this version is renamed: all show the new name, and no group is formed."""
    net.settle()
    leader, mark = net.leader(), net.mark()
    host = next(h for h in net.hosts if not h.older and h is not leader)
    with open(host.config) as f:
        text = f.read()
    with open(host.config, "w") as f:
        f.write(re.sub('name = "[^"]*"', 'name = "other-name"', text))
    check(host.electctl("reload").returncode == 0, "the reload fails")
    lan.until("all show it", lambda: all(
        "other-name" in [m["name"] for m in h.call("io.electd.GetStatus")["members"]]
        for h in net.hosts))
    check(not formed(net, mark, leader.group()), "another group was formed")


def of_01(result, program):
    with lan.Lan(HOSTS, kind=Mixed(program, range(1, HOSTS + 1))) as net:
        result.attempt("all of 0.1 are upgraded", upgraded, net)
    with lan.Lan(HOSTS, kind=Mixed(program, (1, 2))) as net:
        for name, function in (("a leader with work is killed", with_work),
                               ("the versions are cut apart", cut),
                               ("a host has another name", renamed)):
            result.attempt("next to 0.1, " + name, function, net)


# ---- hosts that elect by bully -------------------------------------------------------------------

def reported(host, olds):
    """Whether `electctl status` and `electctl check` of a host name one of the others by any of its
    addresses and its id, and check is DEGRADED."""
    done = host.electctl("check")
    texts = [" ".join(text.split()) for text in (done.stdout, host.electctl("status").stdout)]
    words = r"other-algorithm: (%s|fe80::\S+) \(id (%s)\) runs another election algorithm" % (
        "|".join(re.escape(h.address) for h in olds), "|".join(h.id[:8] for h in olds))
    return done.returncode == DEGRADED and all(re.search(words, text) for text in texts)


def gives_way(net):
    """The bully hosts lead first. Hosts of this version join, are one group with a higher token,
    and report them. Then no host leads by bully, even when a bully host is restarted."""
    olds, news = [h for h in net.hosts if h.older], [h for h in net.hosts if not h.older]
    for host in olds:
        host.start()
    net.wait("a leader by bully", lambda: net.agreed(olds))
    token = net.leader().token()

    def given_way():
        return net.agreed(news) and all(h.view and h.view["role"] != "leader" for h in olds)
    for host in news:
        host.start()
    for again in (None, olds[0]):
        if again:
            again.kill()
            again.start()
        net.wait("the bully hosts give way", given_way)
        for host in news:
            lan.until("a report by %s" % host.name, lambda host=host: reported(host, olds))
        check(net.leader().token() > token, "token %d after token %d of bully",
              net.leader().token(), token)
    check(all(h.process.poll() is None for h in net.hosts), "a daemon has ended")


def bully(result, program):
    with lan.Lan(HOSTS, kind=Mixed(program, (4, 5), 'algorithm = "bully";')) as net:
        result.attempt("hosts that elect by bully give way", gives_way, net)


PARTS = {"0.1": (OLDER, "ELECTD_OLDER", of_01), "bully": (BULLY, "ELECTD_BULLY", bully)}


def main():
    parts = [PARTS[name] for name in sys.argv[1:] or PARTS]
    result = report.Report()
    for commit, variable, _ in parts:
        if variable not in os.environ and not history_has(commit):
            print("commit %s is not in the history here" % commit)
            sys.exit(77)
    lan.setup()
    with tempfile.TemporaryDirectory(prefix="electd-older.") as folder:
        for commit, variable, scene in parts:
            scene(result, os.environ.get(variable) or build(folder, commit))
    result.exit()


if __name__ == "__main__":
    main()
