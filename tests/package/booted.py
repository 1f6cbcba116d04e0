#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package is installed, upgraded, removed and purged, on three booted hosts.

booted.py SUITE FOLDER [SECONDS | --image]: hosts of that release, without electd and its libraries;
an apt whose only archive is a folder with the packages from Debian; the packages of FOLDER. Four
commands are typed on each host, and then a unit follows the leader. SECONDS: the longest time from
the start of the last electd until the unit runs.

The leader has two addresses, which a client on the LAN asks while packages change."""
import os
import re
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TREE, "tests/lan/booted"))
import hosts  # noqa: E402
from hosts import APP, HOOKS, Failed, now, run, until  # noqa: E402
import pages  # noqa: E402
import printed  # noqa: E402
import report  # noqa: E402
import served  # noqa: E402

SUITE, FOLDER = sys.argv[1:3]
DAEMONS = ("electd", "electd-address", "electd-hookd")
PACKAGES = ("electd", "electd-sim", "electd-doc", "libelectd0", "libelectd-dev", "python3-electd")
# Where the image keeps the packages from Debian.
DEBIAN = "/srv/debian"
SHARED = "/srv/shared"
ADDRESSES = ["192.0.2.100", "2001:db8::100"]
GAP = 0.1           # seconds that a client may wait for an answer
UNIT = """[Unit]
BindsTo=electd-leader.target
After=electd-leader.target
[Service]
ExecStart=sleep infinity
[Install]
WantedBy=electd-leader.target
"""
INSTALL, SHOW = next(text for text in pages.indented(pages.text_of("README.md"))
                     if text.startswith("sudo apt-get install ./")).splitlines()[:2]
# Copies the packages to a host, makes its unit, and installs them.
FOUR = ("cp -r %s/packages ." % SHARED,
        "tee /etc/systemd/system/%s >/dev/null <<'END'\n%sEND" % (APP, UNIT),
        "systemctl -q enable " + APP,
        INSTALL)
# Files that a purge leaves or changes, as documented, and folders of other programs.
STAYS = ("/etc/passwd", "/etc/shadow", "/etc/group", "/etc/gshadow", "/etc/passwd-",
         "/etc/shadow-", "/etc/group-", "/etc/gshadow-", "/etc/subuid-", "/etc/subgid-",
         "/etc/.pwd.lock", "/etc/ld.so.cache")
KEEPERS = ("/var/cache", "/var/log", "/var/lib/apt", "/var/lib/dpkg", "/var/lib/systemd/timers",
           "/root", "/tmp", "/var/tmp", "/proc", "/sys", "/run", "/dev")
# As root, who may write byte code next to the module.
LOADS = "python3 -c 'import ctypes, electd; ctypes.CDLL(\"libelectd.so.0\").electd_open'"
KEYS = ("/etc/credstore/electd.keys", "/etc/electd/lab.key")
# Programs as from a `make install` into /usr, moved to the place where that of 0.1 put them.
FROM_SOURCE = """
    rm -f %s
    dpkg-deb -x packages/electd_*.deb source
    if [ -d source/lib ]; then cp -a source/lib source/usr/; rm -r source/lib; fi
    mkdir source/usr/local
    mv source/usr/bin source/usr/sbin source/usr/local/
    sed -Ei 's,/usr/(s?bin/elect),/usr/local/\\1,' source/usr/lib/systemd/system/*
    cp -a source/. /
    rm -r source
    systemd-sysusers
    systemctl daemon-reload
    systemctl -q enable --now electd
    """ % " ".join(KEYS)


def package(name="electd"):
    return next(os.path.join(FOLDER, file) for file in sorted(os.listdir(FOLDER))
                if file.startswith(name + "_") and file.endswith(".deb"))


def dependencies():
    """The packages of Debian that ours depend on."""
    depends = [run("dpkg-deb", "-f", package(name), "Depends").stdout for name in PACKAGES]
    names = set(re.findall(r"(?:^|, )([a-z0-9.+-]+)", ", ".join(filter(None, depends))))
    return " ".join(sorted(names - set(PACKAGES)))


def wanted():
    """image.sh's arguments: a plain Debian that has fetched, not installed, what we need. Python is
    installed, because a purge of our packages keeps it."""
    return ("--suite", SUITE, "--include", "sudo,python3", "--command",
            "mkdir -p %s/partial; apt-get install -y --download-only -o Dir::Cache::archives=%s %s" %
            (DEBIAN, DEBIAN, dependencies()))


def repack(folder):
    """Makes a later version, which reports whether electd runs while it is unpacked."""
    tree = os.path.join(folder, "tree")
    run("dpkg-deb", "-R", package(), tree)
    with open(tree + "/DEBIAN/control") as f:
        text = f.read()
    version = re.search(r"(?m)^Version: (.*)", text).group(1) + "+later"
    with open(tree + "/DEBIAN/control", "w") as f:
        f.write(re.sub(r"(?m)^Version: .*", "Version: " + version, text))
    with open(tree + "/DEBIAN/preinst", "w") as f:
        f.write("#!/bin/sh\nsystemctl is-active electd >/var/tmp/while-unpacked || :\n")
    os.chmod(tree + "/DEBIAN/preinst", 0o755)
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree,
        os.path.join(folder, "electd_later.deb"))
    run("rm", "-r", tree)
    return version


class Package:
    def __init__(self, lan):
        self.lan = lan
        self.later = None
        self.before = {}
        self.client = served.Client(lan.dir, lan.bridge, ADDRESSES,
                                    ("192.0.2.253/24", "2001:db8::253/64"))

    def prepare(self):
        """Hosts whose apt reads a folder; another folder, like a shared disk, has the packages."""
        shared = self.lan.dir + "/shared"
        os.makedirs(shared + "/packages")
        debian = self.lan.dir + "/debian"
        run("cp", "-r", self.lan.image + DEBIAN, debian)
        index = run("sh", "-c", "cd '%s' && dpkg-scanpackages -m ." % debian).stdout
        with open(debian + "/Packages", "w") as f:
            f.write(index)
        for name in PACKAGES:
            run("cp", package(name), shared + "/packages")
        self.later = repack(shared)
        for host in self.lan.hosts:
            for where, what in (DEBIAN, debian), (SHARED, shared):
                os.makedirs(host.root + where, exist_ok=True)
                run("mount", "--bind", what, host.root + where)
            run("rm", "-rf", host.root + "/etc/apt/sources.list.d")
            host.write("/etc/apt/sources.list", "deb [trusted=yes] file:%s ./\n" % DEBIAN)
            host.write("/etc/apt/apt.conf.d/yes", 'APT::Get::Assume-Yes "true";\n')
            # The last change of its disk before electd.
            host.boot()
        for host in self.lan.hosts:
            host.booted()
            self.root(host, "ip address add 2001:db8::%d/64 dev eth0 nodad" % host.number)
            self.root(host, "apt-get update -q")
            self.before[host] = self.files(host)
            if self.has_libraries(host):
                raise Failed("%s has libraries of electd already" % host.name)

    def has_libraries(self, host):
        return host.sh("ls /usr/lib/*/libevent_core* /usr/lib/*/libconfig* 2>/dev/null",
                       check=False).stdout

    def root(self, host, text, check=True):
        return host.run("env", "-i", "-C", "/root", "HOME=/root", "LANG=C.UTF-8",
                        "PATH=" + printed.SBIN, "bash", "-ec", text, check=check, timeout=180)

    def files(self, host):
        """Returns {path: mode, owner, target or checksum} of all files on its disk, except those of
        Debian's own programs."""
        skip = " -o ".join("-path " + folder for folder in (*KEEPERS, DEBIAN, SHARED))
        find = "find / -xdev \\( %s \\) -prune -o " % skip
        found = dict(line.split("\t") for line in host.sh(
            find + "-printf '%p\\t%M %u %g %l\\n'").stdout.splitlines())
        sums = host.sh(find + "-type f -print0 | xargs -0 md5sum --zero").stdout
        for line in sums.rstrip("\0").split("\0"):  # with names as they are
            found[line[34:]] += line[:32]
        return found

    def everywhere(self, text):
        failed = []

        def typed(host):
            try:
                self.root(host, text)
            except Failed as error:
                failed.append("%s: %s" % (host.name, error))
        threads = [threading.Thread(target=typed, args=(host,)) for host in self.lan.hosts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failed:
            raise Failed("; ".join(failed))

    def settled(self):
        """Waits for one leader, with the unit on that host only."""
        leader = self.lan.settle()
        until("%s runs on %s only" % (APP, leader.name), lambda: all(
            (h.state(APP) == "active") == (h is leader) for h in self.lan.running() if h.ask()))
        return leader

    def since_boot(self, host, unit, what):
        """A time that systemd reports, in seconds: one clock for all hosts."""
        return int(host.systemctl("show", "-P", what, unit).stdout) / 1e6

    def moments(self, host, word):
        """The times at which systemd "Started" or "Stopped" the unit."""
        return [int(entry["__REALTIME_TIMESTAMP"]) / 1e6 for entry in host.journal("-u", APP)
                if entry["MESSAGE"].startswith(word)]

    def starts(self, host):
        return len(self.moments(host, "Started"))

    def four_commands(self):
        for text in FOUR:
            self.everywhere(text)
        leader = self.settled()
        last = max(self.since_boot(h, "electd", "ExecMainStartTimestampMonotonic")
                   for h in self.lan.hosts)
        took = self.since_boot(leader, APP, "ActiveEnterTimestampMonotonic") - last
        self.everywhere(SHOW + " | grep ' leads '")
        words = "%d commands a host, %.2f s from the last start of electd to the unit" % (
            len(FOUR), took)
        if len(sys.argv) > 3 and took > float(sys.argv[3]):
            raise Failed(words)
        return words

    def comes_with_it(self):
        """A package also has a user, a folder of keys and an updated journal catalog."""
        for host in self.lan.hosts:
            host.run("getent", "passwd", "electd")
            for group in "electd-admin", "electd-report":
                host.run("getent", "group", group)
            host.systemctl("cat", "electd-probe@pg", "electd-report@pg")
            if host.sh("stat -c '%a %U %G' /etc/credstore").stdout != "700 root root\n":
                raise Failed("/etc/credstore: " + host.sh("ls -ld /etc/credstore").stdout)
            if "Defined-By: electd" not in host.run("journalctl", "--dump-catalog").stdout:
                raise Failed("the catalog does not know electd")
            if host.systemctl("is-enabled", "electd").stdout != "enabled\n":
                raise Failed("electd is not enabled")
            failed = host.systemctl("--failed", "--plain", "--no-legend").stdout
            if failed:
                raise Failed("%s: %s" % (host.name, failed))

    def with_an_address(self, host):
        return [a for a in ADDRESSES if host.sh("ip -o address show to " + a).stdout]

    def addressed(self, some=None):
        """Waits until these hosts agree on a leader, which has all addresses, and no other host has
        one; returns it."""
        leader = self.lan.settle(some)
        until("%s has the addresses" % leader.name, lambda: all(
            self.with_an_address(h) == (ADDRESSES if h is leader else [])
            for h in self.lan.running()))
        return leader

    def addresses(self):
        """README.md's first recipe, with both families."""
        for text in pages.recipe_of_addresses(*ADDRESSES):
            self.everywhere(text)
        self.addressed()
        for address in ADDRESSES:
            self.client.answered(address, now())

    def waited(self, at, some=None):
        """How long the client waited since then, in words."""
        self.addressed(some)
        for address in ADDRESSES:
            self.client.answered(address, now())
        found = [self.client.gap(address, at) for address in ADDRESSES]
        words = "a client waited %s ms" % " and ".join("%.0f" % (gap * 1000) for gap in found)
        if max(found) > GAP:
            raise Failed(words)
        return words

    def pids(self, host, *units):
        return [host.main_pid(unit) for unit in units]

    def upgrade(self, host):
        units = [u for u in (*DAEMONS, "electd@lab") if host.main_pid(u)]
        old = self.pids(host, *units)
        self.root(host, "apt-get install -q %s/electd_later.deb" % SHARED)
        until("new daemons", lambda: not {None, *old} & set(self.pids(host, *units)))
        shown = host.sh("dpkg-query -W -f '${Version}' electd; cat /var/tmp/while-unpacked").stdout
        if shown != self.later + "active\n":
            raise Failed("version, and electd while it is unpacked: " + shown)

    def kept(self, host, before):
        """The host has the state that it had while it was on hold; the hold ends."""
        after = host.ask()["node"]
        if not after["held"] or after["id"] != before["id"] or \
                int(after["incarnation"]) <= int(before["incarnation"]):
            raise Failed("it has another state: %s, %s" % (before, after))
        host.electctl("hold", "off")

    def upgrade_a_follower(self):
        """No other host notices; settings are kept, also of a second election."""
        leader, at = self.settled(), now()
        host = self.lan.others(leader)[0]
        host.electctl("hold", "on")
        self.root(host, "mkdir -p /etc/electd; : >/etc/electd/lab.conf")
        host.systemctl("start", "electd@lab")
        before, starts, token = host.ask()["node"], self.starts(leader), leader.ask()["token"]
        self.upgrade(host)
        if self.settled() is not leader or self.starts(leader) != starts or \
                leader.ask()["token"] != token:
            raise Failed("%s led, %s does" % (leader.name, self.settled().name))
        self.kept(host, before)
        return self.waited(at)

    def upgrade_the_leader(self):
        """One hand-over, and none back."""
        old, at = self.settled(), now()
        starts = {h: self.starts(h) for h in self.lan.hosts}
        self.upgrade(old)
        new = self.settled()
        more = {h.name: self.starts(h) - starts[h] for h in self.lan.hosts if self.starts(h) >
                starts[h]}
        if more != {new.name: 1} or new is old:
            raise Failed("started: %s" % more)
        gap = self.moments(new, "Started")[-1] - self.moments(old, "Stopped")[-1]
        return "%.0f ms without the unit; %s" % (gap * 1000, self.waited(at))

    def remove_the_leader(self):
        """The address moves, and nothing of it is left."""
        host, at = self.addressed(), now()
        self.root(host, "apt-get remove -q electd")
        if self.with_an_address(host) or host.sh("ip -o address | grep electd", check=False).stdout:
            raise Failed("left: " + host.sh("ip -o address").stdout)
        words = self.waited(at, self.lan.others(host))
        self.root(host, "apt-get install -q ./packages/*.deb")
        self.addressed()
        return words

    def remove(self):
        """Configuration and state are kept, and are used after a new installation."""
        host = self.lan.hosts[2]
        host.electctl("hold", "on")
        before = host.ask()["node"]
        self.root(host, "apt-get remove -q electd")
        if any(host.state(daemon) != "inactive" for daemon in DAEMONS):
            raise Failed("a daemon runs on")
        left = host.systemctl("list-units", "--plain", "--no-legend", "electd*").stdout
        if left:
            raise Failed("left: " + left)
        self.lan.settle(self.lan.hosts[:2])
        self.root(host, "apt-get install -q ./packages/*.deb")
        until("it is back", host.ask)
        self.kept(host, before)
        self.settled()

    def purge(self):
        """Only user, group and keys are left, as the package reports."""
        host = self.lan.hosts[2]
        self.root(host, """
            mkdir -p -m 700 {hooks} /etc/electd/electd.conf.d
            printf '#!/bin/sh\\n' >{hooks}/10-note
            chmod 755 {hooks}/10-note
            touch /etc/electd/electd.conf.d/10.conf /etc/electd/lab.conf
            mkdir -p /var/lib/prometheus/node-exporter
            systemctl -q enable --now electd@lab electd-metrics.timer
            electctl wait leader
            systemctl start electd-metrics
            test -s /var/lib/prometheus/node-exporter/electd.prom
            touch {keys}
            rm /etc/systemd/system/{app} -r /etc/systemd/system/electd-leader.target.wants
            """.format(hooks=HOOKS, app=APP, keys=" ".join(KEYS)))
        self.root(host, LOADS)
        said = self.root(host, "apt-get purge --autoremove -q " + " ".join(PACKAGES)).stdout
        self.root(host, "rm -r /var/lib/prometheus" + " && test ! -e /run/%s" * 3 % DAEMONS)
        before, after = self.before[host], self.files(host)
        left = set(after) - set(before)
        wrong = left - set(STAYS) - set(KEYS) - {os.path.dirname(key) for key in KEYS}
        gone = set(before) - set(after)
        changed = {path for path in set(before) & set(after) if before[path] != after[path]}
        if wrong or gone or changed - set(STAYS):
            raise Failed("left: %s; gone: %s; changed: %s" %
                         (sorted(wrong), sorted(gone), sorted(changed)))
        for key in KEYS:
            if key not in left or key not in said:
                raise Failed("%s is gone, or the package did not report it: %s" % (key, said[-300:]))
        if "electd" in host.run("journalctl", "--dump-catalog").stdout:
            raise Failed("the catalog knows electd still")
        for unit in "electd@lab", "electd-metrics.timer", "electd":
            if host.state(unit) not in ("inactive", "unknown"):
                raise Failed("%s is %s" % (unit, host.state(unit)))
        for user in "electd", "electd-address":
            host.run("getent", "passwd", user)
        for group in "electd-admin", "electd-report":
            host.run("getent", "group", group)
        return "%d files and folders as before, byte for byte" % len(set(before) - changed)

    def over_a_source(self):
        """The package replaces a running electd that was installed from source in /usr/local, keeps
        its state, and reports what is left of it."""
        host = self.lan.hosts[2]
        self.root(host, "apt-get install -q " + dependencies())
        self.root(host, FROM_SOURCE)
        until("it runs from /usr/local", lambda: host.ask() and self.programs(host) == {
            "/usr/local/sbin/electd", "/usr/local/sbin/electd-hookd"})
        two = [self.lan.hosts[0], host]
        leader, before = self.lan.settle(two), host.ask()["node"]
        token = leader.ask()["token"]
        said = self.root(host, "apt-get install -q ./packages/electd_*.deb").stdout
        until("the package's programs run, and no others", lambda: host.ask() and
              self.programs(host) == {"/usr/sbin/electd", "/usr/sbin/electd-hookd"})
        if self.lan.settle(two) is not leader or leader.ask()["token"] != token:
            raise Failed("%s led, or the token is new" % leader.name)
        after = host.ask()["node"]
        if after["id"] != before["id"] or int(after["incarnation"]) <= int(before["incarnation"]):
            raise Failed("it has another state: %s, %s" % (before, after))
        if "in /usr/local" not in said:
            raise Failed("/usr/local is not reported: " + said[-300:])

    def programs(self, host):
        return set(host.sh("readlink /proc/[0-9]*/exe | grep /electd || :").stdout.splitlines())

    def autopkgtest(self):
        """Runs debian/tests on a lone host."""
        self.lan.hosts[1].systemctl("stop", "electd")
        host = self.lan.hosts[0]
        run("cp", os.path.join(TREE, "debian/tests/follows"), host.inside("/var/tmp"))
        return self.root(host, "/var/tmp/follows").stdout.splitlines()[0]


def main():
    if "--image" in sys.argv:
        print(hosts.image(wanted()))
        return
    result = report.Report()
    hosts.setup(*wanted())
    with hosts.Lan(3, installed=False) as lan:
        test = Package(lan)
        test.prepare()
        begin = now()
        for name, function in (
                ("four commands", test.four_commands),
                ("what comes with it", test.comes_with_it),
                ("the leader has addresses", test.addresses),
                ("a follower is upgraded", test.upgrade_a_follower),
                ("the leader is upgraded", test.upgrade_the_leader),
                ("the leader is removed", test.remove_the_leader),
                ("removed and installed again", test.remove),
                ("purged", test.purge),
                ("autopkgtest", test.autopkgtest),
                ("over one from source", test.over_a_source)):
            result.attempt("%s: %s" % (SUITE, name), function)
        print("%s: %.0f s from booted hosts on" % (SUITE, now() - begin))
        test.client.close()
    result.exit()


if __name__ == "__main__":
    main()
