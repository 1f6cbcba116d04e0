# SPDX-License-Identifier: Apache-2.0
"""A host on the LAN that the others accept, because it answers Challenges, and that sends what a
test wants."""
import os
import subprocess

import lan

INSIDER = os.path.join(lan.BUILDDIR, "tests/lan/insider")
KEY_ID, SECRET = "7", "5e" * 32


class Insider:
    """The insider has a namespace of its own. `key`: the key of all hosts and the insider."""

    def __init__(self, net, key):
        self.name, self.port, self.address = "insider", "portx", "10.77.0.250"
        self.forger = None
        self.key = (KEY_ID, SECRET) if key else ()
        if key:
            path = os.path.join(os.environ["CREDENTIALS_DIRECTORY"], "electd.keys")
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
                f.write(" ".join(self.key) + "\n")
        lan.run("ip", "netns", "add", self.name)
        lan.run("ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns",
                self.name)
        lan.run("ip", "-n", self.name, "link", "set", "lo", "up")
        lan.run("ip", "-n", self.name, "addr", "add", self.address + "/24", "dev", "eth0")
        lan.run("ip", "-n", self.name, "link", "set", "eth0", "up")
        lan.run("ip", "-n", self.name, "route", "add", "default", "dev", "eth0")
        lan.run("ip", "link", "set", self.port, "master", net.bridge(0), "up")

    def push(self, kind, counter, rate, seconds, env=()):
        return subprocess.Popen(
            ["nsenter", "--net=/run/netns/" + self.name, INSIDER, self.address, kind, counter,
             str(rate), str(seconds), "-", *self.key], stdout=subprocess.PIPE, text=True,
            env={**os.environ, **dict(env)})

    def forge(self, datagrams):
        """Sends datagrams in the name of their senders, from its own address: (TO:PORT or - for
        all, datagram without a tag). Returns when the last one is sent."""
        if not self.forger:
            self.forger = subprocess.Popen(
                ["nsenter", "--net=/run/netns/" + self.name, INSIDER, self.address, "forge", "-",
                 "0", "0", "-", *self.key], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        # Sends all of them at once: otherwise answers could arrive in between.
        self.forger.stdin.write("".join("%s %s\n" % (to, data.hex()) for to, data in datagrams) + "\n")
        self.forger.stdin.flush()
        self.forger.stdout.readline()

    def close(self):
        if self.forger:
            self.forger.communicate(timeout=lan.PATIENCE)
        lan.run("ip", "link", "del", self.port, check=False)
        lan.run("ip", "netns", "del", self.name, check=False)
