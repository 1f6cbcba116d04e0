#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/timer, as printed: when the job runs, and what happens to a job at a hand-over."""
import guide
from hosts import Failed, until
import report
import spans

NAME = "report"
EACH_SECOND = "/etc/systemd/system/report.timer.d/test.conf"
STAMP = "/var/lib/systemd/timers/stamp-report.timer"


def schedule(net, text):
    for host in net.hosts:
        host.write(EACH_SECOND, text)
        host.systemctl("daemon-reload")


def found(net):
    return spans.read(net, NAME)


def begun(net, host, count):
    """Waits until that many more jobs have begun on this host, and on no other."""
    before = len(found(net))
    until("%s has begun %d" % (host.name, count), lambda: len(found(net)) >= before + count)
    if any(span.host is not host for span in found(net)[before:]):
        raise Failed("it runs beside the leader")


def installed(net, page):
    spans.install(net, NAME, seconds=0.1)
    for host in net.hosts:
        page.type(host, "install ")
    leader = net.settle()
    page.type(leader, "systemctl start")
    for host in net.others(leader):
        if not page.type(host, "systemctl start", check=False).returncode:
            raise Failed("it can be started on a follower")
    if "report.service" not in page.type(leader, "systemctl list-timers").stdout:
        raise Failed("it is not listed")


def follows(net):
    schedule(net, "[Timer]\nOnCalendar=\nOnCalendar=*:*:*\n")
    for host in net.hosts:
        if host.leads():
            host.systemctl("restart", "report.timer")
    begun(net, net.settle(), 2)
    for _ in range(2):
        guide.move(net)
        until("the timer is on the leader only", lambda: [
            h for h in net.hosts if h.state("report.timer") == "active"] == [net.leader()])
        begun(net, net.leader(), 2)
    spans.one_at_a_time(found(net))


def stopped(net):
    """The job has ended before the next one begins, and is not reported as failed."""
    spans.install(net, NAME, stop=1)
    old = net.settle()
    until("it runs", lambda: found(net)[-1].end is None)
    new = guide.move(net)
    until("it runs again", lambda: found(net)[-1].host is new)
    spans.one_at_a_time(found(net))
    cut = [span for span in found(net) if span.host is old and span.told]
    if not cut:
        raise Failed("it did not get TERM")
    if old.state("report.service") == "failed":
        raise Failed("it counts as failed")


def failed(net, page):
    leader = net.settle()
    for host in net.hosts:
        # bash, as in spans.PROGRAM: a starting copy of that program may read the new text.
        host.write("/usr/local/bin/" + NAME, "#!/bin/bash\nexit 1\n", 0o755)
    leader.systemctl("restart", "report.timer")
    leader.systemctl("stop", "report.service")
    page.type(leader, "systemctl list-timers")

    def told():
        return "report.service" in page.shell(leader, "electctl check", check=False).stdout
    until("check names it", told)


def finishes(net, page):
    """The job finishes, next to the one that the next leader begins."""
    for host in net.hosts:
        page.type(host, "sed ")
    spans.install(net, NAME, stop=1, seconds=3)
    leader = net.settle()
    before = len(found(net))
    until("it runs", lambda: len(found(net)) > before)
    new = guide.move(net)
    until("it has ended, and another begun", lambda: found(net)[before].end and any(
        span.host is new for span in found(net)[before:]))
    if found(net)[before].told or found(net)[before].host is not leader:
        raise Failed("it got TERM")


def made_up(net, page):
    """Only a new leader that has not run the job within the hour repeats a missed run."""
    spans.install(net, NAME, seconds=0.1)
    for host in net.hosts:
        host.run("rm", EACH_SECOND)
        host.systemctl("daemon-reload")
        host.run("touch", "-d", "2 hours ago", STAMP)
    until("none runs", lambda: found(net)[-1].end)
    guide.move(net)
    due = net.leader().systemctl("show", "-P", "NextElapseUSecRealtime", "report.timer").stdout
    if int(net.leader().run("date", "+%s", "-d", due.strip()).stdout) < found(net)[-1].begin:
        raise Failed("it is due at " + due)
    before = len(found(net))
    for host in net.hosts:
        page.type(host, "mkdir ")
        host.run("touch", "-d", "2 hours ago", STAMP)
    if len(found(net)) != before:
        raise Failed("it was made up without Persistent=")
    new = guide.move(net)
    until("the new leader makes it up", lambda: len(found(net)) > before)
    if found(net)[before].host is not new:
        raise Failed("another host has")


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("timer")
    with guide.lan() as net:
        spans.share(net)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("on the leader only", follows, net)
        result.attempt("a job is stopped", stopped, net)
        result.attempt("a job fails", failed, net, page)
        result.attempt("a job finishes", finishes, net, page)
        result.attempt("a missed run", made_up, net, page)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
