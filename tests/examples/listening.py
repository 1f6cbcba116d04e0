#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/listening, as printed: services of three booted hosts listen on the leader's address all
the time, and a client reaches those of the leader."""
import guide
from hosts import Failed, until
import report

ADDRESS = "192.0.2.100"
CLIENT = 4
BIND = "import socket; socket.socket().bind((\"%s\", 8082))" % ADDRESS


class Test:
    def __init__(self, lan):
        self.lan = lan
        self.client = lan.hosts[CLIENT - 1]
        self.members = lan.hosts[:CLIENT - 1]
        self.page = guide.Guide("listening")

    def reached(self):
        """By the socket unit, and by haproxy."""
        def answers():
            leader = self.lan.leader(self.members)
            shown = self.page.type(self.client, "curl", check=False).stdout.split()
            return leader and shown == [leader.name] * 2 and leader
        return until("the leader answers", answers)

    def installed(self):
        self.lan.start(self.members)
        for host in self.members:
            self.page.type(host, "install -m 755")
        return self.reached().name

    def moved(self):
        for _ in range(2):
            new = guide.move(self.lan, self.members)
            if self.reached() is not new:
                raise Failed("%s led for a moment" % new.name)
        for host in self.members:
            for unit in "web.socket", "haproxy":
                if host.state(unit) != "active":
                    raise Failed("%s of %s is %s" % (unit, host.name, host.state(unit)))

    def nonlocal_bind(self):
        """Another program can bind the address on a host that does not have it, and only then."""
        leader = self.lan.settle(self.members)
        for host in self.members:
            if host is not leader and not host.run("python3", "-c", BIND, check=False).returncode:
                raise Failed("it could bind the address before")
            self.page.type(host, "printf")
            host.run("python3", "-c", BIND)


def main():
    guide.setup()
    result = report.Report()
    with guide.lan(CLIENT) as lan:
        test = Test(lan)
        for host in test.members:
            host.write("/etc/electd/electd.conf.d/address.conf", 'addresses = [ "%s" ];\n' % ADDRESS)
        result.attempt("installed", test.installed)
        result.attempt("the address moves", test.moved)
        result.attempt("a setting of the kernel", test.nonlocal_bind)
        result.attempt("every block is typed", test.page.all_typed)
    result.exit()


if __name__ == "__main__":
    main()
