# SPDX-License-Identifier: Apache-2.0
"""Links of every kind in the network namespace of a host, for kinds.py and machines.py.

A macvlan plays a network card: its parent and the other end of its cable are in another namespace,
so electd sees neither, as with a card. A veth would look like the link of a container. A kind of
link that this kernel lacks raises Skip."""
import concurrent.futures
import ctypes
import fcntl
import os
import re
import struct
import subprocess

from report import Failed

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_TAP, IFF_NO_PI = 0x400454ca, 1, 2, 0x1000
PPPIOCNEWUNIT = 0xc004743e
# The kernel lacks that kind of link, or ip(8) that table or object.
LACKS = re.compile("Unknown device type|Operation not supported|NOT SUPPORTED|not supported")
# Steps that are commands of ip(8); steps that are repeated for each of their words.
OF_IP = "link", "addr", "route", "rule", "nexthop", "-4", "-6"
OF_EACH_NAME = "card", "lan-card", "veth", "tap", "tun", "apart"


class Skip(Exception):
    """This machine lacks something that the test needs; the text says what."""


def ip(words, namespace=None, check=True):
    """Runs a command of ip(8), given as one text, and returns its output."""
    where = ["-n", namespace] if namespace else []
    done = subprocess.run(["ip", *where, *words.split()], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if check and done.returncode:
        if LACKS.search(done.stderr):
            raise Skip("this kernel cannot: ip %s" % words)
        raise Failed("ip %s: %s" % (words, done.stderr.strip()))
    return done.stdout


def batch(lines, namespace):
    done = subprocess.run(["ip", "-n", namespace, "-batch", "-"], input="\n".join(lines) + "\n",
                          check=False, text=True, stderr=subprocess.PIPE)
    if done.returncode:
        raise Failed("ip -batch: %s" % done.stderr.strip()[:200])


def inside(namespace, function):
    """Calls the function in a thread in that network namespace, and returns its result."""
    def run():
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/run/netns/" + namespace) as there:
            if libc.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")
        return function()
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def tun_file(name, flags):
    """The program's end of a tun or tap, which has a carrier while this file is open."""
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), flags | IFF_NO_PI))
    return fd


def ppp_unit():
    """A unit of PPP, ppp0 in a new namespace, which exists while the file is open."""
    try:
        fd = os.open("/dev/ppp", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        raise Skip("this kernel has no PPP") from None
    fcntl.ioctl(fd, PPPIOCNEWUNIT, struct.pack("i", -1))
    return fd


class Wires:
    """The links of one namespace. The names of the other ends of its cables, which are in the
    namespace of the program, begin with `outside`. plug(port) is called for each such end."""

    def __init__(self, namespace, outside, plug=lambda port: None):
        self.namespace = namespace
        self.outside = outside
        self.plug_in = plug
        self.files = {}     # name of a tun, tap or PPP unit: its file

    def ip(self, words, check=True):
        return ip(words, self.namespace, check)

    def do(self, text):
        """Runs steps, separated by `;`: commands of ip(8), or methods of the host with words."""
        for step in text.split(";"):
            verb, *words = step.split()
            if verb in OF_IP:
                self.ip(step)
                continue
            method = getattr(self, verb.replace("-", "_"))
            for some in [[word] for word in words] if verb in OF_EACH_NAME else [words]:
                method(*some)

    def sysctl(self, name, value):
        path = "/proc/sys/" + name.replace(".", "/")

        def write():
            with open(path, "w") as f:
                f.write(str(value))
        try:
            inside(self.namespace, write)
        except FileNotFoundError:
            raise Skip("this kernel has no " + name) from None

    def add(self, name, *kind):
        self.ip("link add %s type %s" % (name, " ".join(kind)))
        self.ip("link set %s up" % name)

    def upon(self, parent, name, *kind):
        """Adds a link whose parent is another link of this host."""
        self.ip("link add link %s name %s type %s" % (parent, name, " ".join(kind)))
        self.ip("link set %s up" % name)

    def outlet(self, name):
        """The name of the other end of a cable."""
        return self.outside + name

    def card(self, name):
        port, wire = self.outlet(name), self.outside + name + "w"
        ip("link add %s type veth peer name %s" % (port, wire))
        # Only the card may send there.
        ip("link set %s addrgenmode none up" % wire)
        ip("link set %s addrgenmode none up" % port)
        ip("link add link %s name %s netns %s type macvlan mode passthru" % (
            wire, name, self.namespace))
        self.ip("link set %s up" % name)
        self.plug_in(port)

    def veth(self, name):
        """A veth as in a container, or as on its host."""
        port = self.outlet(name)
        ip("link add %s type veth peer name %s netns %s" % (port, name, self.namespace))
        ip("link set %s addrgenmode none up" % port)
        self.ip("link set %s up" % name)
        self.plug_in(port)

    def veths_here(self, name, other):
        """A veth with both ends on this host."""
        self.add(name, "veth peer name " + other)
        self.ip("link set %s up" % other)

    def pull(self, *names):
        for name in names:
            ip("link set %s down" % self.outlet(name))

    def plug(self, *names):
        for name in names:
            ip("link set %s up" % self.outlet(name))

    def gone(self, name):
        """As if a USB card was unplugged."""
        ip("link del " + self.outlet(name))

    def bridge(self, name, *ports):
        self.add(name, "bridge forward_delay 0")
        for port in ports:
            self.ip("link set %s master %s" % (port, name))

    def bond(self, name, miimon, *slaves):
        """A link must be down to become a slave."""
        self.ip("link add %s type bond mode active-backup miimon %s" % (name, miimon))
        for slave in slaves:
            self.ip("link set %s down" % slave)
            self.ip("link set %s master %s" % (slave, name))
        self.ip("link set %s up" % name)

    def tap(self, name):
        """Adds the tap of a running virtual machine."""
        self._tun(name, IFF_TAP)

    def tun(self, name):
        """Adds the tun of a running VPN."""
        self._tun(name, IFF_TUN)

    def _tun(self, name, flags):
        self.files[name] = inside(self.namespace, lambda: tun_file(name, flags))
        self.ip("link set %s up" % name)

    def ppp(self):
        self.files["ppp0"] = inside(self.namespace, ppp_unit)
        self.ip("link set ppp0 up")

    def quit(self, name):
        """The guest or the VPN ends, and its link is gone."""
        os.close(self.files.pop(name))

    def give(self, name, address="10.1.0.5/24", *more):
        self.ip("addr add %s dev %s %s" % (address, name, " ".join(more)))

    def routes(self, name, count):
        """Adds that many routes of IPv4 in a table, and of IPv6 in the main one."""
        batch(["route add 10.200.%d.%d/32 dev %s table 10" % (*divmod(n, 256), name)
               for n in range(int(count))] +
              ["route add fd77::%x/128 dev %s" % (n + 1, name) for n in range(int(count))],
              self.namespace)

    def close(self):
        for fd in self.files.values():
            os.close(fd)
        self.files = {}
