#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The name of a host follows its host name, unless node.name is set.

Each electd runs in a UTS namespace of its own, so that its host name can change while it runs, as
by DHCP, cloud-init or hostnamectl. All hosts show the new name within SOON, each writes one line,
and nothing else changes: no role, group, token, session or process. Host names of 64 bytes, and
those that are no name, become one. Interfaces may be named as the kernel allows, and chosen by an
altname of 127 bytes.
"""
import os
import subprocess
import time

import lan
import report
from report import Failed

HOSTS = 3
LONG = "node-%d." + "x" * 54 + ".eu"    # 64 bytes, the longest that Linux allows
# electd looks at its host name at least once a second, and says a new one at once.
SOON = 5.0
# (name of an interface, how JSON tells it): all but what ends a word, '/' and ':'.
ODD = ((b"lan#1", "lan#1"), (b"lan@home", "lan@home"), (b"-eth0", "-eth0"),
       ("b\u00fcro".encode(), "b\u00fcro"), (b"a\x1b[31mred", "a\x1b[31mred"),
       (b"q\"'\\$(x)", "q\"'\\$(x)"), (b"\xff\xfe0", "??0"),
       (b"0123456789abcde", "0123456789abcde"))
SET = 'printf %s "$1" >/proc/sys/kernel/hostname'


class Host(lan.Host):
    host_name = "localhost"

    def identify(self):
        super().identify()
        self.node_name = None

    def start(self, *more, wrapper=(), log_mode="a"):
        super().start(*more, wrapper=(*wrapper, "unshare", "--uts", "sh", "-c",
                                      SET + '; shift; exec "$@"', "sh", self.host_name),
                      log_mode=log_mode)

    def rename(self, name):
        self.host_name = name
        subprocess.run(["nsenter", "-t", str(self.process.pid), "--uts", "sh", "-c", SET, "sh",
                        name], check=True)

    def calls(self, other):
        """The name of another host, as this one tells it; None if that is not on the list."""
        return next((m["name"] for m in self.call("io.electd.GetStatus")["members"]
                     if m["id"] == other.id), None)

    def called(self):
        return self.call("io.electd.GetStatus")["node"]["name"]

    def identity(self):
        status = self.call("io.electd.GetStatus")
        return (self.process.pid, status["role"], status["group"] and status["group"]["counter"],
                status["token"], status["node"]["incarnation"])


def everywhere(net, host, name):
    return host.called() == name and all(other.calls(host) == name for other in net.hosts)


def known(net, host, name):
    lan.until("all call it %s" % name, lambda: everywhere(net, host, name), SOON)


def line(former, name):
    return "%s is called %s now" % (former, name)


def started(net, names):
    for host in net.running():
        host.stop()
    for host, name in zip(net.hosts, names):
        host.host_name = name
        host.write_config()
    net.start()
    net.settle()


def long_names(net):
    names = [LONG % n for n in range(1, HOSTS + 1)]
    started(net, names)
    for host, name in zip(net.hosts, names):
        if len(name) != 64 or not everywhere(net, host, name[:63]):
            raise Failed("%s is called %s" % (name, host.called()))
    if "have the same name" in net.hosts[0].electctl("check").stdout:
        raise Failed("two of these names are one")


def set_later(net):
    """All begin as localhost; one after another is named, the leader last."""
    started(net, ["localhost"] * HOSTS)
    lan.until("equal names are a problem", lambda: all(
        "have the same name" in h.electctl("check").stdout for h in net.hosts), SOON)
    before = [h.identity() for h in net.hosts]
    leader = net.leader()
    for host in [h for h in net.hosts if h is not leader] + [leader]:
        host.rename("web-%d" % host.number)
        known(net, host, "web-%d" % host.number)
        if (host is leader) != (leader.electctl("leader").stdout.strip() == host.host_name):
            raise Failed("electctl leader: %s" % leader.electctl("leader").stdout)
    if [h.identity() for h in net.hosts] != before:
        raise Failed("more than a name changed: %s, before %s" % (
            [h.identity() for h in net.hosts], before))
    for on in net.hosts:
        lines = [on.log().count(line("localhost", h.host_name)) for h in net.hosts]
        if lines != [1] * HOSTS:
            raise Failed("%s wrote so many lines about each: %s" % (on.name, lines))
        if "have the same name" in on.electctl("check").stdout:
            raise Failed("the names differ, and %s still says they do not" % on.name)
        if "renamed" not in on.electctl("--json", "history").stdout:
            raise Failed("the history of %s does not have it" % on.name)


def no_names(net):
    """Host names that are not allowed as node.name, and two in one moment."""
    host = net.hosts[1]
    for name, made in (("l\u00e4b/a b", "l--b-a-b"), ("-rf", "rf"), (LONG % 7, (LONG % 7)[:63]),
                       ("Upper.Case.", "Upper.Case."), ("..", "host")):
        host.rename(name)
        known(net, host, made)
    host.rename("first")
    host.rename("second")
    net.hosts[2].rename("third")
    known(net, host, "second")
    known(net, net.hosts[2], "third")


def configured(net):
    """node.name counts at a reload, the host name without one."""
    host = net.hosts[0]
    before = host.identity()
    host.config_text = open(host.config).read()
    with open(host.config, "w") as f:
        f.write(host.config_text.replace("node = {", 'node = { name = "set";'))
    said = host.electctl("reload").stdout
    known(net, host, "set")
    if "node.name" not in said or "restart" in said:
        raise Failed("the reload says: %s" % said)
    host.rename("ignored")
    time.sleep(2 * 1.0)    # the name is looked at once a second
    known(net, host, "set")
    with open(host.config, "w") as f:
        f.write(host.config_text)
    host.process.send_signal(lan.signal.SIGHUP)
    known(net, host, "ignored")
    if host.identity() != before:
        raise Failed("more than a name changed")
    said = host.electctl("reload").stdout
    if "node.name" in said:
        raise Failed("the same name counts as a change: %s" % said)


def at_the_start(net):
    """A host that joins under its former name, and is renamed while it does."""
    host = net.hosts[2]
    host.stop()
    host.host_name = "early"
    host.start()
    lan.until("it runs", lambda: os.path.exists(host.socket_path))
    host.rename("late")
    net.settle()
    known(net, host, "late")


def link(host, *words):
    subprocess.run(["ip", "-n", host.name, "link", *words], check=True)


def odd_interfaces(net):
    """Followed under each name, as network.interfaces is not set; answers are whole."""
    host = net.hosts[0]
    for name, told in ODD:
        link(host, "set", "dev", host.interface, "down")
        link(host, "set", "dev", host.interface, "name", name)
        link(host, "set", "dev", name, "up")
        host.interface = name
        # electd shows the last name of an interface that is down.
        lan.until("doctor has %s" % ascii(told), lambda told=told: [
            path["carrier"] for path in host.call("io.electd.Doctor")["paths"]
            if path["interface"] == told] == [True] * 2)
        net.settle()
        lan.until("a member is heard by %s" % ascii(told), lambda told=told: any(
            by["interface"] == told for member in host.call("io.electd.GetMembers")["members"]
            for by in member["links"]))
        for verb in ("status", "members", "doctor", "check"):
            said = subprocess.run(["nsenter", "--net=/run/netns/" + host.name, lan.ELECTCTL,
                                   "--socket", host.socket_path, verb], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout
            said.decode()
            if b"\x1b[31mred" in said or b"no network interface" in said:
                raise Failed("electctl %s says: %s" % (verb, said))
    link(host, "set", "dev", host.interface, "down")
    link(host, "set", "dev", host.interface, "name", "eth0")
    link(host, "set", "dev", "eth0", "up")
    host.interface = "eth0"
    net.settle()


def long_altname(net):
    host = net.hosts[0]
    name = "Ethernet#1 of the first slot, ".replace(" ", "_") + "x" * 97
    if len(name) != 127:
        raise Failed("that has %d bytes" % len(name))
    link(host, "property", "add", "dev", host.interface, "altname", name)
    with open(host.config) as f:
        before = f.read()
    with open(host.config, "w") as f:
        f.write(before + 'network = { interfaces = [ "%s" ]; };\n' % name)
    said = host.electctl("reload").stdout
    if "network.interfaces" not in said:
        raise Failed("the reload says: %s" % said)
    net.settle()
    paths = [path["interface"] for path in host.call("io.electd.Doctor")["paths"]]
    if "eth0" not in paths:
        raise Failed("electd uses %s" % paths)


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(HOSTS, kind=Host) as net:
        result.attempt("host names of 64 bytes stay apart", long_names, net)
        result.attempt("a host name that is set later is followed", set_later, net)
        result.attempt("what is no name is made one", no_names, net)
        result.attempt("node.name is taken at a reload", configured, net)
        result.attempt("a name set while the host joins", at_the_start, net)
        result.attempt("interfaces with odd names", odd_interfaces, net)
        result.attempt("an interface by an altname of 127 bytes", long_altname, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
