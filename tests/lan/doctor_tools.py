# SPDX-License-Identifier: Apache-2.0
"""A LAN that is broken and mended, and what electctl doctor says of it: for doctor.py."""
import concurrent.futures
import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import time

import lan
from lan import Failed, run

DEGRADED, NOT_RUNNING = 6, 3
GROUP = "224.0.0.254"
NOBODY = ("setpriv", "--reuid", "65534", "--clear-groups")
# What comes of many faults by itself: two groups, and what electd says of them.
APART = {"apart", "broken-links", "nobody-heard", "no-carrier"}
# Other doctors may have asked just before, and the machine may be slow.
ANSWERS_S = 60


def inside(host, *words, **more):
    return subprocess.run(["nsenter", "--net=/run/netns/" + host.name, *words], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=ANSWERS_S, **more)


def nft(host, rules):
    """Rules of nft(8) in a host; with None, of the bridges."""
    where = ["nsenter", "--net=/run/netns/" + host.name] if host else []
    done = subprocess.run([*where, "nft", "-f", "-"], input=rules, text=True, check=False,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise Failed("nft: %s" % done.stderr)


class Said:
    """What doctor said once. That this machine was late is true of any test, and of one only its
    subject."""

    def __init__(self, host, user=(), keep=()):
        done = inside(host, *user, lan.ELECTCTL, "--socket", host.socket_path, "--json", "doctor")
        try:
            self.answer = json.loads(done.stdout)
        except ValueError:
            raise Failed("%s: exit %d: %s" % (host.name, done.returncode, done.stderr)) from None
        self.code = done.returncode
        self.findings = [f for f in self.answer["findings"]
                         if f["name"] not in ("late", "stood-still") or f["name"] in keep]
        self.faults = {f["name"] for f in self.findings if f["weight"] == "fault"}
        self.unlooked = {row["what"] for row in self.answer["unlooked"]}
        every = [f["name"] for f in self.answer["findings"] if f["weight"] == "fault"]
        if self.answer["ok"] != (not every) or self.answer["ok"] != (self.code == 0):
            raise Failed("%s contradicts itself: %d %s" % (host.name, self.code, self.answer))
        if not self.unlooked:
            raise Failed("%s has looked at everything" % host.name)
        if not self.faults and self.code == DEGRADED:
            self.code = 0    # it was late, and nothing else

    def find(self, name, words):
        return next((f for f in self.findings if f["name"] == name and words in f["words"]), None)


def look(host, name, words, also, code, user):
    """It is named, with these words, and no other fault but `also`."""
    said = Said(host, user, keep=(name,))
    found = said.find(name, words)
    if not found:
        raise Failed("%s with %r is not named: %s" % (name, words, said.findings))
    others = said.faults - {name} - set(also)
    if others or said.code != code:
        raise Failed("exit %d, and besides: %s" % (
            said.code, [f for f in said.findings if f["name"] in others]))
    return found


def named(host, runs, name, words, *also, code=DEGRADED, user=()):
    """It is, each time. What was said last. Looked at once only, a machine that stood still in that
    second may look again."""
    for number in range(runs):
        try:
            found = look(host, name, words, also, code, user)
        except Failed as error:
            if runs > 1:
                raise Failed("run %d of %d: %s" % (number + 1, runs, error)) from None
            found = look(host, name, words, also, code, user)
    return found


def told(runs, *findings):
    """For the line of the report."""
    return "%d of %d: %s" % (runs, runs, "; ".join(f["words"] for f in findings))


def typed(host, finding, command):
    """The command that doctor names, as somebody types it there: what it prints."""
    if command not in finding["remedy"]:
        raise Failed("no command %r in %r" % (command, finding["remedy"]))
    words = shlex.split(command.replace("sudo ", ""))
    if words[0] == "electctl":
        words[:1] = [lan.ELECTCTL, "--socket", host.socket_path]
    done = inside(host, *words)
    if done.returncode:
        raise Failed("%s: exit %d: %s" % (command, done.returncode, done.stderr))
    return done.stdout


def command_of(finding, pattern):
    found = re.search(pattern, finding["remedy"])
    if not found:
        raise Failed("no command %r in %r" % (pattern, finding["remedy"]))
    return found[0]


def wait_well(net, host):
    """Until it finds nothing wrong: what was refused before is told for ten seconds more."""
    net.settle()
    end = lan.now() + 2 * lan.PATIENCE
    while (said := Said(host)).faults:
        if lan.now() > end:
            raise Failed("%s is not mended: %s" % (host.name, said.findings))


def mended(net, host, finding, command):
    typed(host, finding, command)
    wait_well(net, host)
    return "mended by %s" % command


def healthy_host(host):
    """It says so, to root or not, and what only root sees."""
    for user in (), NOBODY:
        said = Said(host, user)
        if said.code or said.faults:
            raise Failed("%s %s: exit %d: %s" % (host.name, user[:1], said.code, said.findings))
        missed = {"rules of firewalls", "machines with the address of this host"}
        if (missed & said.unlooked) != (missed if user else set()):
            raise Failed("%s: not looked at: %s" % (user[:1], said.unlooked))


def healthy(net):
    """Everybody, asked at the same time."""
    net.settle()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        list(pool.map(healthy_host, net.hosts))
    return "%d hosts" % len(net.hosts)


def configuration(rest="", network="", family="ipv4"):
    """Most faults are broken in one family: with two the other one would heal them."""
    return 'network = { family = "%s"; %s };\n%s' % (family, network, rest)


def configure(host, rest="", network="", family="ipv4"):
    host.write_config(configuration(rest, network, family))


def restart_with(host, rest="", network="", family="ipv4"):
    if host.process:
        host.kill()
    configure(host, rest, network, family)
    host.start()
    host.lan.wait("%s answers" % host.name, lambda: host.view)


def await_call(host, method, condition):
    """Until electd answers so."""
    end = lan.now() + lan.PATIENCE
    while not condition(answer := host.call("io.electd." + method)):
        if lan.now() > end:
            raise Failed("%s: not within %.0f s: %s" % (host.name, lan.PATIENCE, answer))
        time.sleep(0.2)


def await_said(host, what, condition):
    """Until what doctor judges is so."""
    try:
        await_call(host, "Doctor", condition)
    except Failed as error:
        raise Failed("%s: %s" % (what, error)) from None


def heard(answer, host):
    return next((h for h in answer["hosts"] if h["id"] == host.id), {})


def second_link(net, hosts):
    """Another cable, eth1, to another switch."""
    for host in hosts:
        run("ip", "link", "add", second_port(host), "type", "veth", "peer", "name", "eth1",
            "netns", host.name)
        run("ip", "link", "set", second_port(host), "master", net.bridge(1), "up")
        run("ip", "-n", host.name, "addr", "add", second_address(host) + "/24", "dev", "eth1")
        run("ip", "-n", host.name, "link", "set", "eth1", "up")


def second_port(host):
    return "second%d" % host.number


def second_address(host):
    return "10.78.0.%d" % host.number


def links_of(host):
    rows = json.loads(inside(host, "ip", "-j", "link", "show").stdout)
    return {row["ifname"] for row in rows} - {"gre0", "tunl0", "sit0", "ip6tnl0"}


def remake(net, host):
    """Its namespace as it was at first, for whatever has been done to it."""
    host.let_in()
    inside(host, "nft", "flush", "ruleset")
    inside(host, "sh", "-c", "echo 20 >/proc/sys/net/ipv4/igmp_max_memberships")
    for name in links_of(host) - {"lo", "eth0"}:
        run("ip", "-n", host.name, "link", "del", name, check=False)
    run("ip", "-n", host.name, "route", "flush", "default", check=False)
    run("ip", "-4", "-n", host.name, "addr", "flush", "dev", "eth0")
    run("ip", "-n", host.name, "addr", "add", host.address + "/24", "dev", "eth0")
    run("ip", "-n", host.name, "link", "set", "eth0", "up")
    run("ip", "link", "set", host.port, "up")
    configure(host)
    host.program = lan.ELECTD


@contextlib.contextmanager
def broken(net):
    """Mended behind it: nothing is left of rules, addresses, cables, files."""
    try:
        yield
    finally:
        for host in net.hosts:
            if host.process:
                host.kill()
            remake(net, host)
        run("nft", "flush", "ruleset")
        run("ip", "link", "set", net.bridge(0), "type", "bridge", "mcast_snooping", "0",
            "mcast_querier", "0")
        net.heal()
        net.restart()


def keys_of(host, text):
    """A configuration with a key file of its own."""
    path = os.path.join(host.dir, "keys")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as f:
        f.write(text)
    return 'auth = { keys = "%s"; };' % path


def older_version(host):
    """The same program, which says that it is of another version of the same length."""
    path = os.path.join(host.dir, "electd.other")
    shutil.copy(lan.ELECTD, path)
    version = run(lan.ELECTD, "--version").stdout.split()[1]
    other = "9" * len(version.split(".")[0]) + version[len(version.split(".")[0]):]
    with open(path, "rb") as f:
        data = f.read()
    with open(path, "wb") as f:
        f.write(data.replace(version.encode() + b"\0", other.encode() + b"\0"))
    if run(path, "--version").stdout.split()[1] != other:
        raise Failed("%s cannot be made to say that it is %s" % (path, other))
    return path, version, other
