#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long a client that downloads in a loop gets no answer when the host with an address fails:
with electd and with keepalived, on the same booted hosts, with the files of
examples/floating-address.

missed.py [N]: each event N times (3). Prints a table of the medians and worst values."""
import collections
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../examples"))
import floating_address  # noqa: E402
import guide  # noqa: E402
import hosts  # noqa: E402
from hosts import now, until  # noqa: E402
import report  # noqa: E402

# Each host sends its name to every client.
SERVER = """import socket, socketserver
class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        self.request.recv(1024)
        self.request.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\n" + socket.gethostname().encode())
class Server(socketserver.ThreadingTCPServer):
    address_family, allow_reuse_address, request_queue_size = socket.AF_INET6, True, 256
Server(("", 80), Handler).serve_forever()
"""
SERVICE = """[Unit]
After=lan.service
[Service]
ExecStart=python3 /usr/local/bin/server
[Install]
WantedBy=multi-user.target
"""

# Begins a download each 10 ms, regardless of earlier ones, and prints a line for each answer.
DOWNLOADS = """import asyncio, sys, time
async def download():
    try:
        reader, writer = await asyncio.wait_for(asyncio.open_connection(sys.argv[1], 80), 0.3)
        writer.write(b"GET / HTTP/1.0\\r\\n\\r\\n")
        answer = await asyncio.wait_for(reader.read(), 0.3)
        writer.close()
        if answer:
            print(time.clock_gettime(time.CLOCK_BOOTTIME), answer.split()[-1].decode(), flush=True)
    except (OSError, asyncio.TimeoutError):
        pass
async def loop():
    tasks = set()
    while True:
        tasks = {t for t in tasks if not t.done()} | {asyncio.ensure_future(download())}
        await asyncio.sleep(0.01)
asyncio.run(loop())
"""

# The defaults, written out, and a priority for each host.
KEEPALIVED = """vrrp_instance floating {
    state BACKUP
    interface eth0
    virtual_router_id 51
    priority %d
    advert_int 1
    virtual_ipaddress {
        192.0.2.100
    }
    virtual_ipaddress_excluded {
        2001:db8::100
    }
}
"""


def prepare(lan):
    for host in lan.hosts:
        host.write("/etc/systemd/system/lan.service", (hosts.MANUAL_LAN % host.number).replace(
            "[Install]", "ExecStart=ip address add 2001:db8::%d/64 dev eth0\n[Install]" % host.number))
        host.write("/usr/local/bin/server", SERVER)
        host.write("/etc/systemd/system/server.service", SERVICE)
        host.write("/usr/local/bin/downloads", DOWNLOADS)
        hosts.run("systemctl", "--root", host.root, "-q", "enable", "server")
        host.write("/etc/keepalived/keepalived.conf", KEEPALIVED % (100 + host.number))


class Daemon:
    """A daemon that is compared: a service that runs on all hosts or on none."""

    def __init__(self, net, service):
        self.net = net
        self.service = service

    def switch(self, on):
        for host in self.net.members:
            host.systemctl("-q", "enable" if on else "disable", "--now", self.service)

    def ready(self):
        """Waits until one host has had the addresses long enough, and returns it."""
        since = [now(), None]

        def still():
            holders = self.net.holders()
            if holders != since[1]:
                since[:] = now(), holders
            return holders and now() - since[0] > 4.5 and holders[0]
        return until("one host has the addresses for 4.5 s", still, 40, pause=0.2)


def killed(daemon, host):
    host.kill(daemon.service)
    return lambda: host.systemctl("start", daemon.service)


def powered_off(_, host):
    host.cut_power()
    return lambda: host.boot().booted()


def stopped(daemon, host):
    host.systemctl("--no-block", "stop", daemon.service)
    return lambda: host.systemctl("start", daemon.service)


def cut(_, host):
    host.plug(False)
    return lambda: host.plug(True)


def pulled(_, host):
    """The cable is unplugged, and the carrier is lost."""
    def cable(on):
        hosts.run("ip", "link", "set", "vb-" + host.name, "up" if on else "down")
    cable(False)
    return lambda: cable(True)


EVENTS = (("the daemon is killed", killed), ("the host loses its power", powered_off),
          ("the daemon is stopped", stopped), ("its cable is pulled", pulled),
          ("it is cut off behind a switch", cut))


class Client:
    def __init__(self, net, address):
        self.path = os.path.join(net.client.dir, "downloads" + str(len(address)))
        with open(self.path, "w") as output:
            self.process = subprocess.Popen(
                ["nsenter", "-t", str(net.client.leader), "-a", "python3",
                 "/usr/local/bin/downloads", address], stdout=output, stdin=subprocess.DEVNULL)

    def answers(self, since):
        found = [line.split() for line in report.whole_lines(self.path)]
        return sorted((float(at), name) for at, name in found if float(at) >= since)

    def missed(self, since):
        times = [at for at, _ in self.answers(since)]
        return max(b - a for a, b in zip(times, times[1:]))

    def end(self):
        with open("/proc/%d/task/%d/children" % ((self.process.pid,) * 2)) as f:
            for pid in f.read().split():
                os.kill(int(pid), signal.SIGKILL)
        self.process.wait()


def measured(daemon, action):
    """Returns the longest time without an answer, for a client of each address, when the action
    hits the host with the addresses."""
    old = daemon.ready()
    before = now()
    clients = [Client(daemon.net, address) for address in floating_address.ADDRESSES]
    until("answers", lambda: all(len(c.answers(before)) > 20 for c in clients), 60)
    if now() - before > 5:
        print("    only after %.0f s they had answers again" % (now() - before), flush=True)
    before = now() - 0.1
    undo = action(daemon, old)
    changed = now()

    def by_another():
        return all(sum(name != old.name for _, name in c.answers(changed)) > 100 for c in clients)
    until("answers of another host", by_another, 30, pause=0.1)
    for client in clients:
        client.end()
    undo()
    return [c.missed(before) for c in clients]


def compared(net, runs):
    """A table: median and worst, in ms."""
    table = collections.defaultdict(dict)
    daemons = [Daemon(net, "keepalived"), Daemon(net, "electd")]
    for daemon in daemons:
        daemons[daemon is daemons[0]].switch(False)
        daemon.switch(True)
        for name, action in EVENTS:
            values = [measured(daemon, action) for _ in range(runs)]
            print("    %s, %s: %s ms" % (daemon.service, name, ["%.0f, %.0f" % tuple(
                seconds * 1000 for seconds in pair) for pair in values]), flush=True)
            for family, of_family in zip(("IPv4", "IPv6"), zip(*values)):
                ordered = sorted(of_family)
                table[name][daemon.service + " " + family] = "%.0f (%.0f)" % (
                    ordered[len(ordered) // 2] * 1000, ordered[-1] * 1000)
    columns = list(table[EVENTS[0][0]])
    for row in [["", *columns], ["---"] * (len(columns) + 1),
                *([name, *table[name].values()] for name in table)]:
        print("| " + " | ".join(row) + " |")
    return "median (worst) of %d, in ms" % runs


def main():
    guide.setup()
    result = report.Report()
    with guide.lan(floating_address.CLIENT) as lan:
        prepare(lan)
        net = floating_address.Net(lan)
        lan.start(net.members)
        floating_address.installed(net)
        result.attempt("missed by a client", compared, net,
                       int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    result.exit()


if __name__ == "__main__":
    main()
