#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/run, as printed: one command on the leader, which ends before it begins elsewhere."""

import guide
from hosts import Failed, until
import report
import spans

SHARED = "[Service]\nReadWritePaths=/srv/shared\n"
STOP = 0.5


def runs(net):
    """The only host on which the command runs, with the token of this leader."""
    found = spans.read(net, "worker")
    leader = net.leader()
    good = found and leader and found[-1].end is None and found[-1].host is leader and \
        found[-1].token == [leader.ask()["token"]]
    return leader if good else None


def installed(net, page):
    for host in net.hosts:
        page.type(host, "install ")
    leader = until("it runs on the leader", lambda: runs(net))
    if "active (running)" not in page.type(leader, "journalctl").stdout:
        raise Failed("nothing is to be seen")


def resign(host):
    host.electctl("resign", "--for", "1")


def restart(host):
    host.systemctl("restart", "electd")


def kill(host):
    host.kill("electd")


def hand_overs(net):
    """Each kind of hand-over: the command never runs twice at once."""
    for end in resign, restart, kill:
        old = until("it runs on the leader", lambda: runs(net))
        end(old)
        until("it runs on another host", lambda o=old: runs(net) not in (None, o))
        net.settle()
    found = spans.read(net, "worker")
    spans.one_at_a_time(found)
    if not all(span.told for span in found[:-1]):
        raise Failed("one did not get TERM")


def not_running(net):
    """electd is stopped for longer than systemd would try a start."""
    host = net.others(net.settle())[0]
    host.systemctl("stop", "electd")

    def tried():
        return int(host.systemctl("show", "-P", "NRestarts", "worker").stdout)
    before = tried()
    until("it was started again and again", lambda: tried() >= before + 6)
    host.systemctl("start", "electd")
    net.settle()
    host.electctl("-q", "wait", "leader")
    until("it waits again", lambda: host.state("worker") == "active")


def killed(net):
    """`electctl run` is killed: the command ends with it, and begins again on the same host."""
    old = until("it runs on the leader", lambda: runs(net))
    begun = spans.read(net, "worker")[-1]
    pid = old.main_pid("worker")
    old.kill("worker")
    until("it has begun anew", lambda: spans.read(net, "worker")[-1].begin > begun.begin)
    if old.main_pid("worker") == pid:
        raise Failed("run was not killed")
    if old.run("pgrep", "-c", "-x", "worker").stdout != "1\n":
        raise Failed("the one before still runs")


def exit_codes(net, page):
    leader = until("it runs on the leader", lambda: runs(net))
    follower = net.others(leader)[0]
    for host, words, code in ((leader, "exit 7", 7), (leader, "exec not-there", 127),
                              (leader, "kill -KILL $$", 137), (follower, "true", 5)):
        done = host.electctl("-q", "run", "--timeout", "0.2", "--", "sh", "-c", words, check=False)
        if done.returncode != code:
            raise Failed("%s: exit %d" % (words, done.returncode))
    done = follower.run("runuser", "-u", "nobody", "--", "electctl", "run", "true", check=False)
    if done.returncode != 4:
        raise Failed("for nobody: exit %d" % done.returncode)
    token = until("it runs on the leader", lambda: runs(net)).ask()["token"]
    done = page.type(leader, "electctl run -- sh")
    if not done.stdout.startswith("token %s\n" % token):
        raise Failed(done.stdout)
    until("another host has it", lambda: runs(net) not in (None, leader))


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("run")
    with guide.lan() as net:
        spans.share(net)
        spans.install(net, "worker", stop=STOP)
        for host in net.hosts:
            host.write("/etc/systemd/system/worker.service.d/test.conf", SHARED)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("hand-overs", hand_overs, net)
        result.attempt("exit codes", exit_codes, net, page)
        result.attempt("electd is stopped for long", not_running, net)
        result.attempt("run itself is killed", killed, net)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
