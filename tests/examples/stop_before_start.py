#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/stop-before-start, as printed: never two hosts have the volume, although one takes 1.5 s
to let it go."""
import os
import sys
import time

import guide
from hosts import Failed, now, until
import report
import spans

NAME = "used"
STOP = 1.5
WAIT = 9
REAL = "/usr/local/sbin/volume"

# Around it: it says when, and takes its time. $$ would be another one each time.
AROUND = """#!/bin/bash
say()
{
	echo "$1 $HOSTNAME.0 $EPOCHREALTIME" >>/srv/shared/%s
}
was=down
%s.real is-up && was=up
case $1 in
up)
	[ "$was" = up ] || say begin
	exec %s.real up
	;;
down)
	[ "$was" = down ] || sleep %s
	%s.real down || exit
	[ "$was" = down ] || say ended
	;;
*)
	exec %s.real "$@"
	;;
esac
""" % (NAME, REAL, REAL, STOP, REAL, REAL)

# It needs the volume for as long as it runs, and alone.
USER = """[Unit]
BindsTo=electd-leader.target
After=electd-leader.target
[Service]
WorkingDirectory=/srv/volume
ExecStart=flock -n ./alone sleep infinity
TimeoutStopSec=3
[Install]
WantedBy=electd-leader.target
"""


def has_it(net, among=None):
    """The host that leads (of these) and has the volume, and whose unit runs."""
    found = spans.read(net, NAME)
    leader = net.leader(among)
    good = leader and found and found[-1].host is leader and not found[-1].end and \
        leader.state("user") == "active"
    return leader if good else None


def well(net):
    """Nothing that ran has failed; of the quorum that was another one there are still words."""
    for host in net.hosts:
        told = host.electctl("check", check=False).stdout
        if "fail" in told:
            raise Failed(told)


def installed(net, page):
    for host in net.hosts:
        page.type(host, "install ")
        host.run("mv", REAL, REAL + ".real")
        host.write(REAL, AROUND, 0o755)
        host.systemctl("-q", "enable", "user")
    leader = net.settle()
    page.type(leader, "electctl resign")
    until("the next one has it", lambda: has_it(net) not in (None, leader))
    well(net)


def resign(host):
    host.electctl("resign", "--for", "1")


def restart(host):
    host.systemctl("restart", "electd")


def stop(host):
    host.systemctl("stop", "electd")


def kill(host):
    host.kill("electd")


def hand_over(net, how):
    """Of a host that takes 1.5 s: the seconds from its end to the begin elsewhere."""
    old = until("the leader has it", lambda: has_it(net))
    rest = net.others(old)
    begin = now()
    how(old)
    until("another host has it", lambda: has_it(net, rest))
    took = now() - begin
    old.systemctl("start", "electd")
    net.settle()
    well(net)
    return took


def never_two(net, how, rounds):
    before = len(spans.read(net, NAME)) - 1
    took = [hand_over(net, how) for _ in range(rounds)]
    gaps = spans.one_at_a_time(spans.read(net, NAME)[before:])
    if len(gaps) < rounds:
        raise Failed("%d hand-overs are missing" % (rounds - len(gaps)))
    return "%d, 0 ms two at once; elsewhere %s after the end; usable after %s" % (
        rounds, report.statistics(gaps), report.statistics(took))


def hookd_killed(net):
    """It is down and up again here, for this host still leads."""
    old = until("the leader has it", lambda: has_it(net))
    before = len(spans.read(net, NAME))
    old.kill("electd-hookd")
    until("it has been down", lambda: len(spans.read(net, NAME)) > before)
    until("it is up", lambda: has_it(net) is old)
    spans.one_at_a_time(spans.read(net, NAME)[before - 1:])


def lost(net, how):
    """Power or network: it is waited out. When the old one had let go, and when another began."""
    old = until("the leader has it", lambda: has_it(net))
    before = len(spans.read(net, NAME)) - 1
    rest = net.others(old)
    begin = now()
    how(old)
    new = until("another host has it", lambda: has_it(net, rest))
    took = now() - begin
    found = spans.read(net, NAME)[before:]
    if old.nspawn:
        spans.one_at_a_time(found)
        old.plug(True)
        words = "it let go %.1f s before" % (found[-1].begin - found[0].end)
    else:
        old.boot().booted()
        words = "its host was off"
    net.settle()
    until("it stays there", lambda: has_it(net) is new)
    return "usable after %.1f s; %s" % (took, words)


def handed_over_meanwhile(net):
    """Who waits, and has to let another one lead, waits to the end first."""
    old = until("the leader has it", lambda: has_it(net))
    rest = net.others(old)
    begin = time.time()
    old.plug(False)
    waits = until("another host waits", lambda: next((h for h in rest if h.leads() and os.path.exists(
        h.inside("/run/volume.waits"))), None))
    resign(waits)
    until("the third has it", lambda: has_it(net, rest) not in (None, waits))
    took = spans.read(net, NAME)[-1].begin - begin
    if took < WAIT:
        raise Failed("it has it after %.1f s" % took)
    old.plug(True)
    net.settle()
    return "after %.1f s" % took


def never_down(net):
    """Somebody keeps it busy: that host is reset, and only then another one begins."""
    old = until("the leader has it", lambda: has_it(net))
    old.run("systemd-run", "-q", "--working-directory=/srv/volume", "sleep", "infinity")
    begin = now()
    old.systemctl("--no-block", "stop", "electd")
    before = len(spans.read(net, NAME))
    until("it is reset", lambda: old.nspawn.poll() is not None)
    reset = now() - begin
    if len(spans.read(net, NAME)) != before:
        raise Failed("another host has begun")
    old._ended()  # pylint: disable=protected-access
    until("another host has it", lambda: has_it(net))
    took = now() - begin
    old.boot().booted()
    net.settle()
    return "reset after %.1f s, usable elsewhere after %.1f s" % (reset, took)


def never_up(net):
    """The next one tries."""
    old = until("the leader has it", lambda: has_it(net))
    bad, good = net.others(old)
    bad.write(REAL, "#!/bin/sh\n[ \"$1\" = down ]\n", 0o755)
    bad.electctl("priority", "200")
    good.electctl("priority", "50")
    resign(old)
    until("the one that can has it", lambda: has_it(net) not in (None, bad))
    if not bad.journal("ELECTD_HOOK=20-volume", "ELECTD_RESULT=failed"):
        raise Failed("the journal says nothing of it")
    bad.write(REAL, AROUND, 0o755)


def main():
    guide.setup()
    full = sys.argv[1:] == ["full"]
    result = report.Report()
    page = guide.Guide("stop-before-start")
    with guide.lan() as net:
        spans.share(net)
        spans.run("mkdir", net.dir + "/shared/volume")
        for host in net.hosts:
            host.write("/etc/systemd/system/user.service", USER)
        guide.start(net)
        result.attempt("installed", installed, net, page)
        for what, how in ("resign", resign), ("kill", kill):
            result.attempt(what, never_two, net, how, 3 if full else 1)
        if full:
            result.attempt("restart", never_two, net, restart, 3)
            result.attempt("stop", never_two, net, stop, 3)
            result.attempt("hookd is killed", hookd_killed, net)
            result.attempt("power cut", lost, net, lambda host: host.cut_power())
            result.attempt("cut off", lost, net, lambda host: host.plug(False))
            result.attempt("handed over meanwhile", handed_over_meanwhile, net)
            result.attempt("up fails", never_up, net)
            result.attempt("down fails", never_down, net)
        result.attempt("all of it typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
