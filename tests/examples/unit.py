#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/unit, as printed: the unit runs only on the leader, and its failure is reported."""
import guide
from hosts import Failed, until
import report

SCHEDULER = "#!/bin/sh\nexec flock /run/scheduler sleep infinity\n"


def runs(host):
    """Whether the scheduler runs: it holds a lock."""
    return host.run("flock", "-n", "/run/scheduler", "true", check=False).returncode


def installed(net, page):
    for host in net.hosts:
        page.type(host, "install -m 644 scheduler")
    leader = net.settle()
    page.type(leader, "systemctl start scheduler")
    for host in net.others(leader):
        if not page.type(host, "systemctl start scheduler", check=False).returncode:
            raise Failed("it can be started on a follower")


def follows(net, page):
    """The unit runs on the leader, also after a hand-over."""
    for _ in range(2):
        until("it runs on the leader only",
              lambda: [h for h in net.hosts if runs(h)] == [net.leader()])
        told = page.type(net.leader(), "electctl leader").stdout
        if not told.startswith(net.leader().name + "\n"):
            raise Failed("output: " + told)
        guide.move(net)


def of_a_package(net, page):
    """A service of a package, which ran on every host before."""
    if any(host.state("cron") != "active" for host in net.hosts):
        raise Failed("cron did not run everywhere")
    for host in net.hosts:
        page.type(host, "systemctl disable")
    page.type(net.settle(), "systemctl start cron")
    for _ in range(2):
        until("cron runs on the leader only", lambda: [
            h for h in net.hosts if h.state("cron") == "active"] == [net.leader()])
        guide.move(net)


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("unit")
    with guide.lan() as net:
        for host in net.hosts:
            host.write("/usr/local/bin/scheduler", SCHEDULER, 0o755)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("on the leader only", follows, net, page)
        result.attempt("a service of a package", of_a_package, net, page)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
