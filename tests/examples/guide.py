# SPDX-License-Identifier: Apache-2.0
"""Types the README.md of a folder of examples/ as printed, on booted hosts with an eth0."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lan/booted"))
import hosts  # noqa: E402
from hosts import Failed, until  # noqa: E402
import pages  # noqa: E402

# The programs that the examples are about, all in one image; none of its services starts by itself.
PACKAGES = ("ansible-core", "cron", "curl", "dbus", "etcd-client", "etcd-server", "haproxy",
            "iputils-arping", "iputils-ping", "keepalived", "network-manager", "openssh-client",
            "openssh-server", "postgresql", "prometheus", "prometheus-node-exporter", "python3", "socat")
SERVICES = ("NetworkManager", "etcd", "haproxy", "keepalived", "postgresql", "prometheus",
            "prometheus-node-exporter", "ssh")
COMMAND = "apt-get install -q -y %s; systemctl -q disable %s" % (
    " ".join(PACKAGES), " ".join(SERVICES))
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FOLDERS = ("/usr/share/doc/electd/examples/", "/usr/local/share/doc/electd/examples/")


def wanted():
    return "--command", COMMAND, *hosts.PROGRAMS


def setup():
    hosts.setup(*wanted())


def lan(count=3):
    """Hosts that are off and know each other's names: 192.0.2.N is hostN."""
    return hosts.Lan(count)


class Guide:
    def __init__(self, name):
        self.name = name
        self.blocks = pages.indented(pages.text_of("examples", name, "README.md"))
        self.left = list(self.blocks)

    def block(self, begin):
        found = [text for text in self.blocks if text.startswith(begin)]
        if len(found) != 1:
            raise Failed("%d blocks of %s begin with %s" % (len(found), self.name, begin))
        if found[0] in self.left:
            self.left.remove(found[0])
        return found[0]

    def type(self, host, begin, check=True, timeout=60):
        return self.shell(host, self.block(begin), check, timeout)

    def shell(self, host, text, check=True, timeout=60):
        folder = next(f for f in FOLDERS if os.path.isdir(host.inside(f + self.name)))
        return host.run("env", "-i", "-C", folder + self.name, "HOME=/root", "LANG=C.UTF-8",
                        "PATH=" + PATH, "bash", "-ec", text, check=check, timeout=timeout)

    def all_typed(self):
        if self.left:
            raise Failed("not typed: " + "; ".join(self.left))


def move(net, electd=None):
    """Makes another host the leader; the old one may lead again at once."""
    old = net.settle(electd)
    old.electctl("hold", "on")
    new = until("another leader", lambda: net.leader(electd) not in (None, old) and
                net.leader(electd))
    old.electctl("hold", "off")
    return new


if __name__ == "__main__":
    print(hosts.image(wanted()))
