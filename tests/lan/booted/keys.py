#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The commands of electd-security(7), byte for byte, on running booted hosts: the first key,
another key, the way back; and both as an encrypted credential.

keys.py: types the blocks of the page into a shell that has electctl, ssh and scp; ssh and scp reach
web0, web1, ... through the namespaces of the hosts instead of a network. No other host leads
meanwhile, and a daemon that is restarted later joins the group with the same keys."""
import os
import subprocess
import tempfile

import hosts
from hosts import Failed, until
import pages
import report

PAGE = "electd-security.7"
# How each block of the page begins.
FUNCTIONS, FIRST, ANOTHER, DROP_IN, PUT = (
    "hosts=", "(umask 077; electctl", "(umask 077; ssh", 'each "mkdir', "put()")

READS = "cat /etc/credstore/electd.keys"

SSH = """#!/bin/sh
[ "$1" != -n ] || { shift; exec </dev/null; }
host=${1#root@}; shift
exec nsenter -t "$(cat "$WEB/$host")" -a sh -c "$*"
"""
SCP = """#!/bin/sh
[ "$1" = -pq ] || exit 2
host=${3%%:*}
exec nsenter -t "$(cat "$WEB/${host#root@}")" -a \\
	sh -c 'cat >"$0" && chmod "$1" "$0"' "${3#*:}" "$(stat -c %a "$2")" <"$2"
"""


def blocks():
    found = pages.displays(PAGE)
    return {begin: next(text for text in found if text.startswith(begin))
            for begin in (FUNCTIONS, FIRST, ANOTHER, DROP_IN, PUT)}


class Administrator:
    """A shell with ssh to all hosts, which has typed the functions of the page."""

    def __init__(self, lan, page):
        self.folder = tempfile.mkdtemp(dir=lan.dir)
        self.page = page
        self.names = " ".join("web%d" % n for n in range(len(lan.hosts)))
        self.functions = page[FUNCTIONS]
        for name, text in (("ssh", SSH), ("scp", SCP)):
            path = os.path.join(self.folder, name)
            with open(path, "w") as f:
                f.write(text)
            os.chmod(path, 0o755)
        for number, host in enumerate(lan.hosts):
            with open("%s/web%d" % (self.folder, number), "w") as f:
                f.write("%d\n" % host.leader)

    def types(self, text):
        script = "%s\nhosts='%s'\nset -e\n%s\n" % (self.functions, self.names, text)
        done = subprocess.run(
            ["bash", "-c", script], check=False, cwd=self.folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
            env={**os.environ, "WEB": self.folder,
                 "PATH": "%s:%s:%s" % (self.folder, hosts.BUILDDIR, os.environ["PATH"])})
        if done.returncode:
            raise Failed("exit %d of\n%s\n%s" % (done.returncode, text, done.stdout[-800:]))
        return done.stdout


class Keys:
    def __init__(self, lan):
        self.lan = lan
        self.admin = Administrator(lan, blocks())
        self.leader = lan.settle()
        self.token = self.leader.ask()["token"]

    def same_leader(self):
        if self.lan.settle() is not self.leader or self.leader.ask()["token"] != self.token:
            raise Failed("another host leads, or the token is new")

    def trusts(self, number, accepts, authenticated):
        """All hosts accept these keys, also after a restart; no file with a key is left."""
        auth = {"mode": "enforce" if authenticated else "auto", "active_key": number,
                "accepts": accepts, "authenticated": authenticated}
        self.same_leader()
        other = self.lan.others(self.leader)[0]
        other.systemctl("restart", "electd")
        self.same_leader()
        for host in self.lan.hosts:
            if host.ask()["auth"] != auth:
                raise Failed("%s: %s" % (host.name, host.ask()["auth"]))
        if os.path.exists(self.admin.folder + "/electd.keys"):
            raise Failed("electd.keys is left")

    def first(self):
        self.admin.types(self.admin.page[FIRST])
        self.trusts(1, [1], True)

    def another(self, reads=READS):
        text = self.admin.page[ANOTHER]
        if READS not in text:
            raise Failed("the page reads the key file otherwise")
        self.admin.types(text.replace(READS, reads))
        self.trusts(2, [2], True)

    def kept(self):
        """A SIGHUP or a reload by another user than root keeps the keys; electd reports that."""
        host = self.lan.others(self.leader)[0]
        host.sh("cp -p /etc/credstore/electd.keys /root/ && echo >/etc/credstore/electd.keys")
        host.kill("electd", hosts.signal.SIGHUP)
        until("the journal says so", lambda: any(
            "only a reload by root reads" in e["MESSAGE"] for e in host.journal("-t", "electd")))
        host.sh("useradd -G electd-admin carol")
        said = host.run("runuser", "-u", "carol", "--", "electctl", "reload")
        if "only a reload by root reads" not in said.stderr:
            raise Failed("a reload by carol says: %s%s" % (said.stdout, said.stderr))
        refused = host.systemctl("reload", "electd", check=False)
        if not refused.returncode:
            raise Failed("root's reload takes a file without a key")
        host.sh("cp -p /root/electd.keys /etc/credstore/electd.keys")
        host.systemctl("reload", "electd")
        self.same_leader()

    def back(self):
        self.admin.types("mode permissive\nmode receive-only\n"
                         "each electctl keys remove 2\nmode auto")
        self.trusts(0, [0], False)
        for host in self.lan.hosts:
            host.sh("! ls /etc/credstore/electd.keys")

    def encrypted(self):
        """With the drop-in and the other `put`; no disk has a readable key."""
        self.admin.types(self.admin.page[DROP_IN])
        self.admin.functions += "\n" + self.admin.page[PUT]
        self.first()
        self.another("systemd-creds decrypt /etc/credstore.encrypted/electd.keys -")
        for host in self.lan.hosts:
            text = host.sh("cat /etc/credstore.encrypted/electd.keys; ls -A /etc/credstore").stdout
            if "\n2 " in text or text.startswith("2 ") or "electd.keys" in text:
                raise Failed("%s: %s" % (host.name, text))


def main():
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as lan:
        for host in lan.hosts:
            # As the package makes it.
            host.write("/etc/credstore/.keep", "")
            os.chmod(host.root + "/etc/credstore", 0o700)
        lan.start()
        keys = Keys(lan)
        for name in "first", "another", "kept", "back", "encrypted":
            if not result.failed:
                result.attempt(name, getattr(keys, name))
    result.exit()


if __name__ == "__main__":
    main()
