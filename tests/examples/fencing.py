#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/fencing, as printed: three hosts write into a PostgreSQL on a fourth host, and into a
shared folder. A leader is stalled while it writes, and another host leads."""
import glob
import os

import guide
import hosts
from hosts import Failed, until
import report

FOLDER = "/usr/local/lib/report/"
QUERY = ("psql", "-X", "-A", "-t", "-d", "host=db dbname=report user=report", "-c")
# Continues to write with the old token, like writes that are under way when a host is stalled.
LATE = "while %s || exit; do sleep 0.02; done"
# Is stalled between the check and the commit.
MIDWAY = """{
	echo "BEGIN; SELECT fenced('report', $ELECTD_TOKEN);"
	until [ -e /run/go ]; do sleep 0.02; done
	echo "INSERT INTO report (token, line) VALUES ($ELECTD_TOKEN, 'midway'); COMMIT;"
} | psql -X -q -v ON_ERROR_STOP=1 "host=db dbname=report user=report" """


def prepare(net):
    """Makes a volume that all hosts share, and a database server that accepts them."""
    shared = os.path.join(net.dir, "shared")
    os.mkdir(shared)
    for host in net.hosts:
        os.makedirs(host.root + "/srv/shared")
        hosts.run("mount", "--bind", shared, host.root + "/srv/shared")
        with open(host.root + "/etc/hosts", "a") as f:
            f.write("192.0.2.4 db\n")
    db = net.hosts[3]
    conf = glob.glob(db.root + "/etc/postgresql/*/main")[0]
    with open(conf + "/conf.d/lan.conf", "w") as f:
        f.write("listen_addresses = '*'\n")
    with open(conf + "/pg_hba.conf", "a") as f:
        f.write("host report report 192.0.2.0/24 trust\n")
    return db, "postgresql@%s-main" % conf.split("/")[-2]


def installed(net, db, page):
    page.type(db, "runuser ")
    for host in net.others(db):
        page.type(host, "install ")
    rows_of(net, db, net.settle(net.others(db)))
    told = page.type(db, "psql").stdout
    if "report | %s" % token(net.leader(net.others(db))) not in told:
        raise Failed("output: " + told)
    if "20" not in page.type(db, "cat ").stdout:
        raise Failed("the file has no date")


def token(host):
    return int(host.electctl("--plain", "leader").stdout.split("\t")[2])


def rows(db):
    return [(int(line.split("|")[0]), line.split("|")[1]) for line in db.run(
        *QUERY, "SELECT token, line FROM report ORDER BY number").stdout.splitlines()]


def newest(host):
    """The token of the file that is valid."""
    names = sorted(glob.glob(host.inside("/srv/shared/report.*[0-9]")))
    return int(names[-1].rsplit(".", 1)[1]) if names else 0


def rows_of(net, db, host):
    """Waits until this leader has written to both."""
    mine = token(host)
    until("%s writes rows" % host.name, lambda: rows(db)[-1:] and rows(db)[-1][0] == mine)
    until("%s writes the file" % host.name, lambda: newest(host) == mine)
    return mine


def begin(host, unit, command):
    """Runs the command as a unit of that host, which is stalled with the host."""
    host.run("systemd-run", "-q", "--unit", unit, "-E", "ELECTD_TOKEN=%d" % token(host),
             "--working-directory", FOLDER, "sh", "-c", command)


def refused(host, unit, *others):
    """The unit has ended because it was refused, or with one of those statuses."""
    until("%s ends" % unit, lambda: host.state(unit) == "failed")
    status = host.systemctl("show", "-P", "ExecMainStatus", unit).stdout.strip()
    if status not in ("3", *others):
        raise Failed("%s ended with %s" % (unit, status))
    host.systemctl("reset-failed", unit)


def in_order(db):
    tokens = [number for number, _ in rows(db)]
    if tokens != sorted(tokens):
        raise Failed("an older leader has written after a newer one")


def stalled(net, db):
    """Stalled while it writes: its later writes are refused."""
    members = net.others(db)
    old = net.settle(members)
    before = rows_of(net, db, old)
    begin(old, "late-row", LATE % "./write-row late")
    begin(old, "late-file", LATE % "./write-file /srv/shared/report date")
    until("it writes", lambda: (before, "late") in rows(db))
    old.freeze(True)
    after = rows_of(net, db, net.settle([h for h in members if h is not old], whole=False))
    old.freeze(False)
    for unit in "late-row", "late-file":
        refused(old, unit, "1")     # `electctl run` ended it while it wrote
    if newest(old) < after:
        raise Failed("the older file counts")
    in_order(db)


def between(net, db):
    """Stalled between check and commit: the transaction is lost and delays no other host."""
    members = net.others(db)
    old = net.settle(members)
    rows_of(net, db, old)
    begin(old, "midway", MIDWAY)
    until("it has checked", lambda: "1" in db.run(
        *QUERY, "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction'").stdout)
    old.freeze(True)
    rows_of(net, db, net.settle([h for h in members if h is not old], whole=False))
    old.freeze(False)
    old.run("touch", "/run/go")
    until("it ends", lambda: old.state("midway") == "failed")
    if "midway" in [line for _, line in rows(db)]:
        raise Failed("it was committed")
    in_order(db)


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("fencing")
    with guide.lan(4) as net:
        db, server = prepare(net)
        net.start(net.hosts[:3])
        db.systemctl("start", server)
        result.attempt("installed", installed, net, db, page)
        result.attempt("every block is typed", page.all_typed)
        result.attempt("stalled amid writing", stalled, net, db)
        result.attempt("stalled between check and commit", between, net, db)
    result.exit()


if __name__ == "__main__":
    main()
