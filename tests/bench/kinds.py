# SPDX-License-Identifier: Apache-2.0
"""The daemons that are compared: how each is configured and started, and how it reports its leader.

Each daemon's own report on its host counts, at the time at which it arrives at the common reader:
the event of a subscription, a line in a notify FIFO, the output of a script, or a line of the log.
So each host has one of three roles, for all daemons: leader, follower, none."""
import os
import re
import shutil
import subprocess

import lan
import report

ADDRESS = "10.77.0.100"      # moves with the leader, if that is the daemon's task
HOSTS = 5
MAJORITY = HOSTS // 2 + 1


class Setup:
    """One daemon with one configuration; `beat` is its advertised interval in seconds.

    `gateway`: a host of the LAN that only answers has the address of the default gateway. `hooks`:
    an electd-hookd runs on each host. `family`: the only one that electd uses; None: both."""

    def __init__(self, kind, beat, name="", faults=None, hosts=HOSTS, gateway=False, hooks=False,
                 family="ipv4", **values):
        self.kind, self.beat, self.values = kind, beat, values
        self.name = name or kind.title
        self.faults = faults     # None: those of Bench.ROUND
        self.hosts, self.gateway, self.hooks, self.family = hosts, gateway, hooks, family

    def host(self, net, number, _):
        return self.kind(net, number, self)


class Electd(lan.Host):
    title = "electd"
    told = "its subscribers (io.electd.Subscribe): role, and who leads"

    def __init__(self, net, number, setup):
        super().__init__(net, number, setup.values["config"])

    def worker(self):
        """The process that elects."""
        return self.process.pid

    def described(self):
        with open(self.config) as f:
            return f.read().strip()

    @staticmethod
    def version():
        return lan.run(lan.ELECTD, "--version").stdout.split("\n")[0]

    @staticmethod
    def knows(key):
        """Whether this electd has such a key, according to its own list."""
        text = lan.run(lan.ELECTD, "--print-config", check=False).stdout
        return re.search(r"^\s*(# )?%s = " % re.escape(key), text, re.M) is not None


class Peer(lan.Host):
    """A daemon other than electd, which writes lines into a pipe or FIFO of each run."""

    separator = b"\n"
    program = package = ""

    def __init__(self, net, number, setup):
        self.setup = setup
        self.listened = None     # the read end, until the reader takes it
        super().__init__(net, number)

    def path(self, name):
        return os.path.join(self.dir, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)

    def write_config(self, extra=""):
        raise NotImplementedError

    def arguments(self):
        raise NotImplementedError

    def command(self, *more, wrapper=()):
        return ["nsenter", "--net=/run/netns/" + self.name, *wrapper, *self.arguments(), *more]

    def addresses(self):
        return ["10.77.0.%d" % (n + 1) for n in range(self.setup.hosts)]

    def worker(self):
        return self.process.pid

    def described(self):
        return " ".join(self.arguments())

    @classmethod
    def version(cls):
        return lan.run("dpkg-query", "-W", "-f=${Package} ${Version}", cls.package,
                       check=False).stdout or cls.title

    def view_of(self, role, leader=None):
        return {"status": {"role": role, "leader": leader and {"id": leader}}}

    def connect(self):
        stream, self.listened = self.listened, None
        return stream

    def launch(self, output):
        """Starts the daemon; its output goes to the reader or to its log."""
        with open(self.path("log"), "ab") as log:
            output = log if output is None else output
            self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL,
                                            stdout=output, stderr=output)
        self.lan.wanted(self)

    def event_of(self, piece):
        with open(self.path("log"), "ab") as log:
            log.write(piece + b"\n")
        return self.heard(piece.decode(errors="replace"))

    def heard(self, line):
        raise NotImplementedError


class Logging(Peer):
    def start(self, *more, wrapper=(), log_mode="a"):
        reader, writer = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(reader, False)
        self.listened = os.fdopen(reader, "rb", buffering=0)
        self.forget()
        self.launch(writer)
        os.close(writer)

    def forget(self):
        """Forgets the reports of its last run."""


class Notifying(Peer):
    """A daemon that reports in a FIFO, which this program ends by a line of its own."""

    def start(self, *more, wrapper=(), log_mode="a"):
        if os.path.exists(self.path("fifo")):
            os.unlink(self.path("fifo"))
        os.mkfifo(self.path("fifo"), 0o600)
        self.listened = os.fdopen(os.open(self.path("fifo"), os.O_RDWR | os.O_NONBLOCK |
                                          os.O_CLOEXEC), "rb", buffering=0)
        self.launch(None)

    def end(self, sig):
        at = super().end(sig)
        fifo = os.open(self.path("fifo"), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        os.write(fifo, b"\n")
        os.close(fifo)
        return at


class Keepalived(Notifying):
    title = "keepalived"
    program = package = "keepalived"
    told = "its vrrp_notify_fifo: MASTER, BACKUP, FAULT"
    ROLES = {"MASTER": "leader", "BACKUP": "follower", "FAULT": "none", "STOP": "none"}

    def write_config(self, extra=""):
        # Different enough that not all become MASTER at once, high enough for a short skew time.
        self.write("conf", """global_defs {
  vrrp_version 3
  vrrp_notify_fifo %s
}
vrrp_instance bench {
  state BACKUP
  nopreempt
  interface eth0
  virtual_router_id 51
  priority %d
  advert_int %g
%s  virtual_ipaddress { %s/24 }
}
""" % (self.path("fifo"), 254 - 20 * (self.number - 1), self.setup.beat,
       self.setup.values.get("more", ""), ADDRESS))

    def arguments(self):
        return [self.program, "--dont-fork", "--log-console", "--vrrp", "--use-file",
                self.path("conf"), "--pid", self.path("pid"), "--vrrp_pid", self.path("vrrp.pid")]

    def worker(self):
        """The child that elects; its parent restarts it."""
        with open(self.path("vrrp.pid")) as f:
            return int(f.read())

    def described(self):
        with open(self.path("conf")) as f:
            return f.read().strip()

    def heard(self, line):
        words = line.split()
        if len(words) < 3 or words[0] != "INSTANCE" or words[2] not in self.ROLES:
            return None
        return self.view_of(self.ROLES[words[2]])


class Ucarp(Notifying):
    title = "ucarp"
    program = package = "ucarp"
    told = "its up and down scripts, /bin/sh each"

    def write_config(self, extra=""):
        for script, role in ("up", "leader"), ("down", "follower"):
            self.write(script, "#!/bin/sh\necho %s >>%s\n" % (role, self.path("fifo")))
            os.chmod(self.path(script), 0o755)

    def arguments(self):
        return [self.program, "--interface=eth0", "--srcip=" + self.address, "--vhid=1",
                "--pass=bench", "--addr=" + ADDRESS, "--advbase=%d" % self.setup.beat,
                "--advskew=%d" % (8 * (self.number - 1)),
                "--deadratio=%d" % self.setup.values["dead"], "--shutdown",
                "--upscript=" + self.path("up"), "--downscript=" + self.path("down")]

    def heard(self, line):
        return self.view_of(line) if line in ("leader", "follower") else None


class Corosync(Logging):
    title = "corosync"
    program = package = "corosync"
    told = "its log: the members and the quorum; the lowest of a quorate membership leads"

    def __init__(self, net, number, setup):
        super().__init__(net, number, setup)
        self.forget()

    def write_config(self, extra=""):
        nodes = "".join("  node {\n    nodeid: %d\n    name: host%d\n    ring0_addr: %s\n  }\n" % (
            n + 1, n + 1, address) for n, address in enumerate(self.addresses()))
        self.write("conf", """totem {
  version: 2
  cluster_name: bench
  transport: %s
%s}
nodelist {
%s}
quorum {
  provider: corosync_votequorum
}
logging {
  to_stderr: yes
  to_syslog: no
  to_logfile: no
}
""" % (self.setup.values["transport"], self.setup.values["totem"], nodes))
        self.write("corosync.pid", "")
        os.makedirs(self.state_dir, exist_ok=True)

    def arguments(self):
        # The paths are fixed, so each host has files of its own there.
        shell = "mount --bind %s /run/corosync.pid && mount --bind %s /var/lib/corosync && " \
            "exec %s -f -c %s" % (self.path("corosync.pid"), self.state_dir, self.program,
                                  self.path("conf"))
        with open("/run/corosync.pid", "a"):
            pass
        return ["unshare", "--mount", "sh", "-c", shell]

    def described(self):
        with open(self.path("conf")) as f:
            return f.read().strip()

    def forget(self):
        self.members, self.quorate = [], False

    def heard(self, line):
        if "within the primary component" in line:
            self.quorate = True
        elif "within the non-primary component" in line:
            self.quorate = False
        else:
            found = re.search(r"\[QUORUM\] Members\[\d+\]:((?: \d+)*)", line)
            if not found:
                return None
            self.members = sorted(map(int, found[1].split()))
        if not self.quorate or not self.members:
            return self.view_of("none")
        return self.view_of("leader" if self.members[0] == self.number else "follower",
                            str(self.members[0]))


class Etcd(Logging):
    title = "etcd"
    program, package = "etcd", "etcd-server"
    told = "its log: whom each member takes for the leader of its raft"

    def write_config(self, extra=""):
        """All configuration is in the arguments."""

    def arguments(self):
        peers = ",".join("host%d=http://%s:2380" % (n + 1, address)
                         for n, address in enumerate(self.addresses()))
        beat = round(self.setup.beat * 1000)
        return [self.program, "--name=" + self.name, "--data-dir=" + self.path("data"),
                "--listen-peer-urls=http://%s:2380" % self.address,
                "--initial-advertise-peer-urls=http://%s:2380" % self.address,
                "--listen-client-urls=http://127.0.0.1:2379",
                "--advertise-client-urls=http://127.0.0.1:2379",
                "--initial-cluster=" + peers, "--initial-cluster-state=new",
                "--heartbeat-interval=%d" % beat,
                "--election-timeout=%d" % (self.setup.values["election"] * beat),
                "--logger=zap", "--log-outputs=stderr"]

    def heard(self, line):
        found = re.search(r"raft\.node: (\w+) (elected leader|lost leader|changed leader from"
                          r" \w+ to) (\w+)", line)
        if not found:
            return None
        if found[2] == "lost leader":
            return self.view_of("none")
        return self.view_of("leader" if found[1] == found[3] else "follower", found[3])


def timings(**values):
    return "timing = { %s };" % " ".join("%s = %s;" % pair for pair in values.items())


def electd_setups(beat_ms):
    """dead_after is three beacons, like three adverts; at 10 ms that is a profile."""
    plain = {"beacon_interval_ms": beat_ms, "dead_after_ms": 3 * beat_ms}
    early = Electd.knows("silence_ms")
    if beat_ms == 10 and Electd.knows("profile"):
        plain = {"profile": '"fastest"'}
    setups = [Setup(Electd, beat_ms / 1000, config=timings(**plain))]
    if early and beat_ms in (100, 200):
        setups.append(Setup(Electd, beat_ms / 1000, "electd, silence 75",
                            config=timings(silence_ms=75, **plain)))
    if beat_ms == 50 and Electd.knows("profile"):
        setups.append(Setup(Electd, 0.05, "electd, fast", config=timings(profile='"fast"')))
    if beat_ms == 100:
        setups.append(Setup(Electd, 0.1, "electd, quorum", {"cold", "split", "two", "heal"},
                            config="quorum = %d; %s" % (MAJORITY, timings(**plain))))
    return setups


def keepalived_setups(beat_ms):
    """VRRP's three adverts and the skew time; keepalived's manual has a faster setting."""
    setups = [Setup(Keepalived, beat_ms / 1000)]
    if beat_ms <= 10:
        setups.append(Setup(Keepalived, beat_ms / 1000, "keepalived, two",
                            more="  down_timer_adverts 2\n"))
    return setups


def corosync_setups(beat_ms):
    """corosync advertises nothing. The timeout is that of the others, three intervals, and so are
    the timeouts derived from it. Below 126 ms it needs fewer retransmissions."""
    token, retransmits = 3 * beat_ms, ""
    if token < 130:
        token = max(token, 40)
        retransmits = "  token_retransmits_before_loss_const: 1\n  join: 30\n"
    return [Setup(Corosync, beat_ms / 1000, transport="udpu", totem="  token: %d\n"
                  "  token_coefficient: 0\n%s" % (token, retransmits))]


def etcd_setups(beat_ms):
    """etcd refuses fewer than five heartbeats."""
    return [Setup(Etcd, beat_ms / 1000, election=5)]


def ucarp_setups(beat_ms):
    """Whole seconds only: with --advbase=0 ucarp takes each late advert for a death."""
    if beat_ms % 1000:
        return []
    return [Setup(Ucarp, beat_ms / 1000, dead=3), Setup(Ucarp, beat_ms / 1000, "ucarp, two", dead=2)]


SETUPS = {Electd: electd_setups, Keepalived: keepalived_setups, Corosync: corosync_setups,
          Etcd: etcd_setups, Ucarp: ucarp_setups}
KINDS = list(SETUPS)


def present():
    """Returns (programs that are installed, programs that are not)."""
    there = [kind for kind in KINDS if shutil.which(kind.program)]
    return there, [kind for kind in KINDS if kind not in there]


def own_kib(pid):
    """Memory that is not from files; memory shared with a fork counts by half."""
    with open("/proc/%d/smaps_rollup" % pid) as f:
        return next(int(line.split()[1]) for line in f if line.startswith("Pss_Anon:"))


def usage(pids):
    """Returns (seconds of processor, resident KiB, own KiB) of the processes of one host. Pages of
    files are counted once, for the process that has most of them."""
    memory = [report.memory_kib(pid) for pid in pids]
    own = sum(map(own_kib, pids))
    return (sum(map(report.cpu_seconds, pids)), own + max(m[0] - m[1] for m in memory), own)
