#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/cron, as printed: cron runs the lines when it starts, instead of at night."""
import re

import guide
from hosts import Failed, until
import report
import spans

NAMES = "nightly-report", "nightly-backup"


def found(net, name):
    return spans.read(net, name)


def installed(net, page):
    """The files must be valid as printed; another copy of the lines runs now."""
    for host in net.hosts:
        page.type(host, "install ")
        for name in NAMES:
            page.shell(host, "sed -E 's/^0 [34] [*] [*] [*]/@reboot/' %s >/etc/cron.d/now-%s"
                       % (name, name))
    for host in net.hosts:
        host.systemctl("stop", "cron")
        host.run("rm", "-f", "/run/crond.reboot")
        host.systemctl("start", "cron")


def entries_of(host):
    return "\n".join(str(e["MESSAGE"]) for e in host.journal("-t", "CRON", "-t", "cron"))


def ran(net):
    """cron has run each line on each host, and the programs run only on the leader."""
    for host in net.hosts:
        until("cron of %s has run both lines" % host.name, lambda h=host: all(
            "/usr/local/bin/" + name in entries_of(h) for name in NAMES), timeout=70)
        if re.search("(?i)error|bad ", entries_of(host)):
            raise Failed("cron on %s: %s" % (host.name, entries_of(host)[-600:]))
    for name in NAMES:
        until(name + " runs", lambda n=name: found(net, n))
    # The others have asked and ended.
    until("no other host waits", lambda: not any(
        h.run("pgrep", "-f", "[e]lectctl -q", check=False).stdout for h in net.others(net.leader())))
    for name in NAMES:
        if [span.host for span in found(net, name)] != [net.leader()]:
            raise Failed("%s ran on %s" % (name, [s.host.name for s in found(net, name)]))


def handed_over(net):
    """One program continues, the other ends before another host leads."""
    old = net.settle()
    guide.move(net)
    asked, held = (found(net, name)[0] for name in NAMES)
    if asked.end or not held.end or not held.told or held.host is not old:
        raise Failed("the one runs on, the other does not")


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("cron")
    with guide.lan() as net:
        spans.share(net)
        for name in NAMES:
            spans.install(net, name, stop=0.5)
        net.start()
        result.attempt("installed", installed, net, page)
        result.attempt("on the leader only", ran, net)
        result.attempt("a hand-over", handed_over, net)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
