# SPDX-License-Identifier: Apache-2.0
"""A real electd-address next to each electd."""
import os
import signal
import subprocess

import lan

PROGRAM = os.environ.get("ELECTD_ADDRESS", os.path.join(lan.BUILDDIR, "electd-address"))
ADDRESSES = ["10.77.0.100", "2001:db8:77::100"]
CONFIG = "addresses = [ %s ];" % ", ".join('"%s"' % address for address in ADDRESSES)


def anew(host):
    """Removes all addresses of the host's interface, and adds its own ones, by one program."""
    text = ("addr flush dev {0}\naddr add {1}/24 dev {0}\n"
            "addr add 2001:db8:77::{2}/64 dev {0} nodad\n")
    subprocess.run(["ip", "-n", host.name, "-batch", "-"], check=True, text=True,
                   input=text.format(host.interface, host.address, host.number))


class Addressed:
    """The electd-address of a host, whose configuration is that of its electd."""

    def __init__(self, host, own="2001:db8:77::%d"):
        self.host, self.process = host, None
        self.own_dir = os.path.join(host.dir, "address")
        os.makedirs(self.own_dir)
        lan.run("ip", "-n", host.name, "addr", "add", own % host.number + "/64", "dev",
                host.interface, "nodad")

    def start(self, *more, wrapper=()):
        assert self.process is None
        with open(os.path.join(self.host.dir, "address.log"), "a") as log:
            self.process = subprocess.Popen(
                ["nsenter", "--net=/run/netns/" + self.host.name, *wrapper, PROGRAM, "--config",
                 self.host.config, "--runtime-dir", self.host.runtime_dir, *more],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env={**os.environ, "RUNTIME_DIRECTORY": self.own_dir})

    def send(self, number):
        self.process.send_signal(number)
        return lan.now()

    def end(self, number=signal.SIGTERM):
        """Sends a signal and waits for the end; returns the time of the signal."""
        process, self.process = self.process, None
        at = lan.now()
        process.send_signal(number)
        process.wait(lan.PATIENCE)
        return at

    def log(self):
        path = os.path.join(self.host.dir, "address.log")
        if not os.path.exists(path):
            return ""
        with open(path) as f:
            return f.read()
