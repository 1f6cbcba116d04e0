#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/stop-before-start, as printed: never two hosts have the volume, although one takes 1.5 s
to release it."""
import os
import time

import guide
from hosts import Failed, until
import report
import spans

NAME = "used"
STOP = 1.5
WAIT = 9
REAL = "/usr/local/sbin/volume"

# A wrapper of the volume program that stamps its begin and end, and delays it; $$ is not unique.
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

# A unit that needs the volume, exclusively, while it runs.
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
    """The leader (of these hosts), if it has the volume and its unit runs."""
    found = spans.read(net, NAME)
    leader = net.leader(among)
    good = leader and found and found[-1].host is leader and not found[-1].end and \
        leader.state("user") == "active"
    return leader if good else None


def well(net):
    """No unit has failed. `check` may still mention that the quorum was different."""
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


def never_two(net, how):
    """The old leader takes 1.5 s to release the volume."""
    old = until("the leader has it", lambda: has_it(net))
    before = len(spans.read(net, NAME)) - 1
    how(old)
    until("another host has it", lambda: has_it(net, net.others(old)))
    net.settle()
    well(net)
    spans.one_at_a_time(spans.read(net, NAME)[before:])


def hookd_killed(net):
    """The volume is released and taken again on this host, because the host still leads."""
    old = until("the leader has it", lambda: has_it(net))
    before = len(spans.read(net, NAME))
    old.kill("electd-hookd")
    until("it has been down", lambda: len(spans.read(net, NAME)) > before)
    until("it is up", lambda: has_it(net) is old)
    spans.one_at_a_time(spans.read(net, NAME)[before - 1:])


def power_cut(net):
    """The next leader waits until the lost host must have released it."""
    old = until("the leader has it", lambda: has_it(net))
    old.cut_power()
    new = until("another host has it", lambda: has_it(net, net.others(old)))
    old.boot().booted()
    net.settle()
    until("it stays there", lambda: has_it(net) is new)


def handed_over_meanwhile(net):
    """A waiting host that must let another host lead waits to the end first."""
    old = until("the leader has it", lambda: has_it(net))
    until("each host may lead", lambda: not any(h.ask()["node"]["barred_ms"] for h in net.hosts))
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


def never_down(net):
    """A process keeps the volume busy: the host is reset, and only then another host begins."""
    old = until("the leader has it", lambda: has_it(net))
    old.run("systemd-run", "-q", "--working-directory=/srv/volume", "sleep", "infinity")
    old.systemctl("--no-block", "stop", "electd")
    before = len(spans.read(net, NAME))
    until("it is reset", lambda: old.nspawn.poll() is not None)
    if len(spans.read(net, NAME)) != before:
        raise Failed("another host has begun")
    old.off()
    until("another host has it", lambda: has_it(net))
    old.boot().booted()
    net.settle()


def never_up(net):
    """The volume cannot be taken on one host: the next one tries."""
    old = until("the leader has it", lambda: has_it(net))
    bad, good = net.others(old)
    bad.write(REAL, "#!/bin/sh\n[ \"$1\" = down ]\n", 0o755)
    bad.electctl("priority", "200")
    good.electctl("priority", "50")
    resign(old)
    until("the host that can take it has it", lambda: has_it(net) not in (None, bad))
    if not bad.journal("ELECTD_HOOK=20-volume", "ELECTD_RESULT=failed"):
        raise Failed("the journal does not report it")
    bad.write(REAL, AROUND, 0o755)


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("stop-before-start")
    with guide.lan() as net:
        spans.share(net)
        spans.run("mkdir", net.dir + "/shared/volume")
        for host in net.hosts:
            host.write("/etc/systemd/system/user.service", USER)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("resign", never_two, net, resign)
        result.attempt("kill", never_two, net, lambda host: host.kill("electd"))
        result.attempt("hookd is killed", hookd_killed, net)
        result.attempt("power cut", power_cut, net)
        result.attempt("a hand-over meanwhile", handed_over_meanwhile, net)
        result.attempt("up fails", never_up, net)
        result.attempt("down fails", never_down, net)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
