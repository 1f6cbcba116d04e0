#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/health, as printed: each probe reports its subject, a service that reports itself does
so at once, and a host with anything sick does not lead."""
import guide
from hosts import Failed, run, until
import pages
import report

GATEWAY = "192.0.2.254/24"

WEB = """[Service]
ExecStart=python3 -m http.server -b 127.0.0.1 -d /srv %i
"""
HAPROXY = """[Service]
ExecStart=
ExecStart=sleep infinity
ExecReload=
ExecStartPre=
Type=simple
Restart=no
"""

# name: how it is broken, how it is repaired, the words. All hosts share the gateway.
BROKEN = {
    "postgresql": ("systemctl stop postgresql@15-main", "systemctl start postgresql@15-main",
                   "/var/run/postgresql:5432 - no response"),
    "process": ("systemctl stop ssh", "systemctl start ssh", "no process sshd"),
    "unit": ("systemctl stop cron", "systemctl start cron", "inactive"),
    "interface": ("ip link set cable down", "ip link set cable up",
                  "eth1 has no carrier"),
    "disk": ("fallocate -l 60M /srv/fill", "rm /srv/fill", "90 MiB left in /srv"),
    "either": ("systemctl stop web@8001 web@8002", "systemctl start web@8002", "neither answers"),
}


def prepare(net):
    run("ip", "address", "add", GATEWAY, "dev", net.bridge)
    for host in net.hosts:
        host.write("/etc/systemd/system/web@.service", WEB)
        host.write("/etc/systemd/system/haproxy.service.d/sleeps.conf", HAPROXY)


def begin(net):
    """Makes everything that the probes examine, and makes it well."""
    for host in net.hosts:
        host.sh("ip link add eth1 type veth peer name cable;"
                "ip link set eth1 up; ip link set cable up;"
                "mount -t tmpfs -o size=150M none /srv;"
                "systemctl start dbus ssh cron postgresql@15-main haproxy web@8001")


def rows(host):
    return {row["name"]: row for row in host.ask("GetHealth")["reports"]}


def health(host):
    return {name: (row["health"], row["words"]) for name, row in rows(host).items()}


def well(host, names):
    known = health(host)
    return all(known.get(name, ("",))[0] == "well" for name in names)


def all_well(net, page):
    for host in net.hosts:
        page.type(host, "install -d")
        page.type(host, "systemctl enable --now electd-probe")
        page.type(host, "install -D -m 644 gateway.conf")
    names = [*BROKEN, "gateway", "file"]
    for host in net.hosts:
        until("all is well on %s: %s" % (host.name, health(host)), lambda h=host: well(h, names))
        if page.type(host, "electctl health").stdout.count(" well ") != len(names):
            raise Failed(host.electctl("health").stdout)
    net.settle()
    return "%d probes on each" % len(names)


def told(host, name, words):
    return health(host).get(name) == ("sick", words)


def unbarred(net):
    """Waits until all is well and each follower may lead. Returns the leader."""
    for host in net.hosts:
        host.systemctl("restart", "electd")
    until("all is well", lambda: all(h.ask() and well(h, BROKEN) for h in net.hosts))
    return net.settle()


def all_broken(net):
    """Each fault is reported, and another host leads."""
    old = unbarred(net)
    for broken, _, _ in BROKEN.values():
        old.sh(broken)
    until("another host leads", lambda: net.leader() not in (None, old))
    for name, (_, _, words) in BROKEN.items():
        until("%s: %s" % (name, health(old).get(name)), lambda n=name, w=words: told(old, n, w))
    for _, mend, _ in BROKEN.values():
        old.sh(mend)
    until("all is well again: %s" % health(old), lambda: well(old, BROKEN))


def left_alone(net, page):
    """The file with the reason makes the host not lead, and all hosts show the reason."""
    old = unbarred(net)
    page.type(old, 'echo "new disks"')
    until("another host leads", lambda: net.leader() not in (None, old))
    for host in net.hosts:
        until("%s knows why" % host.name, lambda h=host: "%s may not lead: sick (file): new disks" %
              old.name in page.type(h, "electctl members").stdout)
    page.type(old, "rm /etc/maintenance")
    until("it is well", lambda: well(old, ["file"]))


def reports_itself(net, page):
    for host in net.hosts:
        page.type(host, "install -D -m 644 health.conf")
    until("all are well", lambda: all(well(h, ["haproxy"]) for h in net.hosts))
    host = net.hosts[0]
    host.kill("haproxy")
    until("the stop is reported", lambda: told(host, "haproxy", "stopped: signal"))
    host.systemctl("restart", "electd")
    until("the failure is reported", lambda: told(host, "haproxy", "failed"))
    host.systemctl("start", "haproxy")
    until("it is well", lambda: well(host, ["haproxy"]))
    host.systemctl("restart", "electd")
    until("it is reported well", lambda: well(host, ["haproxy"]))


def harmless(net):
    """electd never stops or starts the service."""
    host = net.hosts[1]
    for before, after in (("systemctl stop electd", "systemctl start electd"),
                          ("systemctl kill -s STOP electd", "systemctl kill -s CONT electd")):
        host.sh(before)
        host.systemctl("restart", "haproxy")
        if host.state("haproxy") != "active":
            raise Failed("after `%s` it is %s" % (before, host.state("haproxy")))
        host.sh(after)
        until("it is well", lambda: host.ask() and well(host, ["haproxy"]))


def without(net, page):
    """A probe is removed on one host, which then leads when the shared gateway fails."""
    host = net.hosts[2]
    page.type(host, "systemctl disable")
    run("ip", "address", "del", GATEWAY, "dev", net.bridge)
    until("the others know", lambda: all(
        told(h, "gateway", "192.0.2.254 does not answer") for h in net.others(host)))
    until("it leads", host.leads)


def one_line_each(net):
    """The one-line probes of electd-health(7), on a host where all is well except haproxy and the
    free disk space."""
    text = pages.text_of("man", "electd-health.7").split("One line each:")[1].split(".El")[0]
    lines = [pages.unescape(line[4:]) for line in text.splitlines() if line.startswith(".Li ")]
    done = [net.hosts[0].sh(line, check=False) for line in lines]
    if [d.returncode for d in done] != [0, 1, 0, 0, 0, 1] or "".join(d.stderr for d in done):
        raise Failed(str(list(zip(lines, ((d.returncode, d.stderr) for d in done)))))
    return "%d commands" % len(lines)


def switch(host, begin, program):
    """A program of electd-health(7), as printed, reports; later its silence is noticed."""
    text = next(d for d in pages.displays("electd-health.7") if d.startswith(begin))
    if not program(text):
        raise Failed("it is not taken")
    if health(host).get("worker") != ("well", "fine"):
        raise Failed(str(health(host)))
    until("its silence is reported", lambda: told(host, "worker", "silent for 1 s"))
    host.electctl("well", "worker")


def switch_in_python(net):
    host = net.hosts[0]

    def program(text):
        host.write("/root/switch.py", text + "\nanswer = report('worker', True, 'fine', 1000)\n"
                   "bad = report('a/b', True)\nprint(answer, 'error' in bad)\n")
        return host.run("python3", "/root/switch.py").stdout == "{'parameters': {}} True\n"
    switch(host, "import json", program)


def switch_in_c(net):
    host = net.hosts[0]

    def program(text):
        host.write("/root/switch.c", text + "\nint main(void)\n{\n"
                   "\treturn report(\"worker\", 1, \"fine\", 1000) ||\n"
                   "\t\treport(\"a/b\", 1, \"\", 0) != -1;\n}\n")
        run("cc", "-static", "-Wall", "-Wextra", "-Werror", "-o", host.root + "/root/switch",
            host.root + "/root/switch.c")
        return not host.run("/root/switch", check=False).returncode
    switch(host, "#include", program)


def main():
    guide.setup()
    result = report.Report()
    page = guide.Guide("health")
    with guide.lan() as net:
        prepare(net)
        net.start()
        begin(net)
        result.attempt("all are well", all_well, net, page)
        result.attempt("all faults on one host", all_broken, net)
        result.attempt("maintenance", left_alone, net, page)
        result.attempt("a service that reports itself", reports_itself, net, page)
        result.attempt("the service is not harmed", harmless, net)
        result.attempt("probes of one line", one_line_each, net)
        result.attempt("a program in Python", switch_in_python, net)
        result.attempt("a program in C", switch_in_c, net)
        result.attempt("a removed probe", without, net, page)
        result.attempt("every block is typed", page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
