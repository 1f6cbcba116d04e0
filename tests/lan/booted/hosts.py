# SPDX-License-Identifier: Apache-2.0
"""Booted hosts on one LAN: Debian with its own systemd, electd installed by `make install`.

A host is a container of systemd-nspawn (`--boot`, nothing registered on this machine): an overlay
over the image of image.sh, which stays its disk over power cuts, its own machine id, name, journal
and address, and a port of a bridge. A program calls setup() first: it puts itself into namespaces
of its own (network, mounts, processes), in a control group and a folder of its own, and a process
that stays outside removes all that, however the program ends.

All hosts run on one kernel and nspawn makes no time namespaces, so CLOCK_BOOTTIME is the same in
all of them and here: stamps of different hosts can be compared to the microsecond.
"""
import fcntl
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from report import Failed  # noqa: E402

BUILDDIR = os.path.abspath(os.environ.get("BUILDDIR", "."))
PROGRAMS = [os.path.join(BUILDDIR, name) for name in (
    "electd", "electd-hookd", "electctl", "tests/lan/booted/stamp")]
# Whatever kills the process outside kills this too, and so all that is inside.
INSIDE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork",
          "--mount-proc", "--kill-child"]
PREFIX = "electd-booted."
HOOKS = "/etc/electd/hooks.d"
APP = "app.service"

# An event that has not come by then does not come.
PATIENCE = 60.0


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def run(*words, check=True, timeout=60):
    done = subprocess.run(words, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout)
    if check and done.returncode:
        raise Failed("%s: exit %d: %s" % (" ".join(words), done.returncode,
                                          (done.stderr + done.stdout).strip()[-600:]))
    return done


def until(what, condition, timeout=PATIENCE, pause=0.02):
    """Asks again until it is true: what it returned."""
    end = now() + timeout
    while True:
        value = condition()
        if value:
            return value
        if now() > end:
            raise Failed("not within %.1f s: %s" % (timeout, what))
        time.sleep(pause)


# ---- what a program runs in ----------------------------------------------------------------------

def skip(why):
    print(why)
    sys.exit(77)


def control_groups():
    """Where the control groups of version 2 are."""
    with open("/proc/self/mounts") as f:
        for line in f:
            words = line.split()
            if words[2] == "cgroup2":
                return words[1]
    return skip("no control groups of version 2 here")


def remove_groups(name):
    """nspawn makes the same folders in systemd's own hierarchy, where there is one."""
    top = control_groups()
    with open("/proc/self/mounts") as f:
        mounts = [line.split()[1] for line in f if line.split()[2] in ("cgroup", "cgroup2")]
    try:
        with open(os.path.join(top, name, "cgroup.kill"), "w") as f:
            f.write("1")
    except OSError:
        pass
    end = now() + 5
    for mount in mounts:
        while os.path.isdir(os.path.join(mount, name)) and now() < end:
            for folder, _, _ in os.walk(os.path.join(mount, name), topdown=False):
                try:
                    os.rmdir(folder)
                except OSError:
                    time.sleep(0.02)


def setup(*wanted):
    """First of all in a program: into namespaces of its own. Exits 77 where that cannot be. What is
    `wanted` in the image is told as image.sh takes it; without a word it is what ours is run with."""
    if "ELECTD_BOOTED" in os.environ:
        run("mount", "-t", "tmpfs", "electd-booted", "/run")
        os.mkdir("/run/netns")
        run("ip", "link", "set", "lo", "up")
        return
    sys.exit(outside(image(wanted or PROGRAMS)))


def image(wanted=tuple(PROGRAMS)):
    """The folder of the image, which is made if need be; for hosts on which the programs run."""
    for program in PROGRAMS:
        if not os.access(program, os.X_OK):
            sys.exit("%s is not there: build it, and name the folder in BUILDDIR" % program)
    return plain_image(wanted)


def plain_image(wanted):
    """The folder of the image, which is made if need be."""
    if os.geteuid():
        skip("only root can boot hosts")
    if not shutil.which("systemd-nspawn"):
        skip("no systemd-nspawn here (package systemd-container)")
    if subprocess.run([*INSIDE, "true"], check=False).returncode:
        skip("no namespaces may be made here")
    made = subprocess.run(["bash", os.path.join(HERE, "image.sh"), *wanted], check=False,
                          stdout=subprocess.PIPE, text=True)
    if made.returncode == 1:
        print("FAILED image: " + made.stdout.strip())
        sys.exit(1)
    if made.returncode:
        skip(made.stdout.strip() or "no image")
    return made.stdout.strip()


def outside(folder_of_image, *arguments, before=lambda folder: None):
    """Runs this program inside, waits for it, and removes what it leaves behind. It gets these
    arguments instead of its own. `before` is called outside, with the folder that is removed."""
    def end(number, _):
        raise SystemExit(128 + number)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    sweep()
    folder = tempfile.mkdtemp(prefix=PREFIX)
    name = os.path.basename(folder)
    child = None
    try:
        mine = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(mine, fcntl.LOCK_EX)
        os.mkdir(os.path.join(control_groups(), name))
        in_use = os.open(folder_of_image, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(in_use, fcntl.LOCK_SH)
        before(folder)
        child = subprocess.Popen(
            [*INSIDE, sys.executable, "-B", sys.argv[0], *(arguments or sys.argv[1:])],
            env={**os.environ, "ELECTD_BOOTED": folder, "ELECTD_IMAGE": folder_of_image})
        return child.wait()
    finally:
        if child and child.poll() is None:
            child.kill()
            child.wait()
        remove(folder)


def remove(folder):
    remove_groups(os.path.basename(folder))
    shutil.rmtree(folder, ignore_errors=True)


def sweep():
    """What was left by a run that was killed: nobody holds the lock of its folder."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        try:
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(folder)
        except BlockingIOError:
            pass
        finally:
            os.close(lock)


def numbers_of(pid):
    """What a process is numbered here, and in each namespace further in; none if it is gone."""
    try:
        with open("/proc/%s/status" % pid) as f:
            return next(line for line in f if line.startswith("NSpid:")).split()[1:]
    except OSError:
        return []


def name_of(pid):
    try:
        with open("/proc/%s/comm" % pid) as f:
            return f.read().strip()
    except OSError:
        return None


# ---- one host ------------------------------------------------------------------------------------

class Host:
    """One host: its disk, and while it runs the process that is its systemd."""

    def __init__(self, lan, number):
        self.lan = lan
        self.number = number
        self.name = "host%d" % number
        self.address = "10.78.0.%d" % number
        self.dir = os.path.join(lan.dir, self.name)
        self.root = os.path.join(self.dir, "root")
        self.group = os.path.join(lan.group, self.name)
        self.nspawn = None
        self.leader = None    # the process that is 1 in there
        for name in ("", "root", "upper", "work"):
            os.mkdir(os.path.join(self.dir, name))
        os.mkdir(self.group)
        mount_overlay(self.root, self.dir + "/upper", self.dir + "/work",
                      lan.installed + ":" + lan.image)
        self.write("/etc/machine-id", "%032x\n" % number)
        self.write("/etc/hostname", self.name + "\n")
        self.write("/etc/systemd/system/lan.service", LAN_SERVICE % self.address)
        self.write("/etc/systemd/journald.conf.d/all.conf", JOURNALD_CONF)
        os.makedirs(self.root + "/var/log/journal", exist_ok=True)
        run("systemctl", "--root", self.root, "-q", "enable", "lan.service")

    # ---- its disk ----

    def write(self, path, text, mode=0o644):
        """A file of its disk (not below /run, which is memory), replaced as a
        whole: one that is being started just then cannot be written to, and
        one half written would be run."""
        path = self.root + path
        written = self.root + "/.written"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(written, "w") as f:
            f.write(text)
        os.chmod(written, mode)
        os.replace(written, path)

    def inside(self, path):
        """The same file as the running host sees it."""
        return "/proc/%d/root%s" % (self.leader, path)

    # ---- power ----

    def boot(self, *options, **environment):
        """With more options for systemd-nspawn and variables of its environment."""
        assert not self.nspawn
        with open(self.dir + "/console", "a") as log:
            self.nspawn = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self.group,
                 "systemd-nspawn", "-q", "-D", self.root, "--boot", "--register=no", "--keep-unit",
                 "--network-bridge=" + self.lan.bridge, "--machine=" + self.name,
                 "--resolv-conf=off", "--timezone=off", "--link-journal=no",
                 # As on a machine: keys can be locked in memory.
                 "--system-call-filter=@memlock", *options],
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.leader = until("systemd of %s runs" % self.name, self._find_leader)
        until("%s answers" % self.name,
              lambda: os.path.exists(self.inside("/run/systemd/private")))
        return self

    def booted(self):
        """Waits until all is started that starts at boot."""
        self.run("systemctl", "is-system-running", "--wait", check=False)
        return self

    def _find_leader(self):
        if self.nspawn.poll() is not None:
            with open(self.dir + "/console") as f:
                raise Failed("nspawn of %s ended: %s" % (self.name, f.read()[-400:]))
        with open("/proc/%d/task/%d/children" % (self.nspawn.pid, self.nspawn.pid)) as f:
            children = f.read().split()
        for pid in children:
            if numbers_of(pid)[-1:] == ["1"] and name_of(pid) == "systemd":
                return int(pid)
        return None

    def off(self):
        """Waits until it is."""
        self.nspawn.wait(PATIENCE)
        self.nspawn = self.leader = None

    def cut_power(self):
        """As if the plug was pulled; the time of it."""
        at = now()
        os.kill(self.leader, signal.SIGKILL)
        self.off()
        return at

    def reboot(self):
        self.run("systemctl", "--no-block", "reboot")
        self.off()
        self.boot()

    def freeze(self, on):
        """All of the host."""
        with open(self.group + "/cgroup.freeze", "w") as f:
            f.write("1" if on else "0")

        def is_frozen():
            with open(self.group + "/cgroup.events") as f:
                return "frozen %d" % on in f.read()
        until("%s is frozen: %s" % (self.name, on), is_frozen)

    # ---- what a user types ----

    def run(self, *words, check=True, timeout=60):
        return run("nsenter", "-t", str(self.leader), "-a", *words, check=check, timeout=timeout)

    def sh(self, text, check=True):
        return self.run("sh", "-c", text, check=check)

    def systemctl(self, *words, check=True):
        return self.run("systemctl", *words, check=check)

    def electctl(self, *words, check=True):
        return self.run("electctl", *words, check=check)

    def state(self, unit):
        """active, inactive, failed, ..."""
        return self.systemctl("is-active", unit, check=False).stdout.strip()

    def main_pid(self, unit):
        """The main process of a service as it is numbered here, or None while it does not run."""
        show = self.systemctl("show", "-P", "MainPID", "-P", "ControlGroup", unit).stdout.split()
        if show[0] == "0":
            return None
        try:
            with open("%s/payload%s/cgroup.procs" % (self.group, show[1])) as f:
                pids = f.read().split()
        except OSError:  # it has ended since
            return None
        return next((int(pid) for pid in pids if numbers_of(pid)[-1:] == [show[0]]), None)

    def kill(self, unit, number=signal.SIGKILL):
        """A signal to the main process of a service; the time just before it."""
        pid = self.main_pid(unit)
        if not pid:
            raise Failed("%s of %s does not run" % (unit, self.name))
        before = now()
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            raise Failed("%s of %s has just ended" % (unit, self.name)) from None
        return before

    # ---- what it says ----

    def ask(self, method="GetStatus", domain=None, **parameters):
        """The parameters of electd's reply, None while it does not answer."""
        path = "/run/electd%s/io.electd" % ("-" + domain if domain else "")
        try:
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(2)
                s.connect(self.inside(path))
                s.sendall(json.dumps({"method": "io.electd." + method,
                                      "parameters": parameters}).encode() + b"\0")
                data = b""
                while not data.endswith(b"\0"):
                    piece = s.recv(65536)
                    if not piece:
                        return None
                    data += piece
        except OSError:
            return None
        return json.loads(data[:-1]).get("parameters")

    def leads(self, domain=None):
        status = self.leader and self.ask(domain=domain)
        return bool(status) and status["role"] == "leader"

    def journal(self, *matches):
        """Entries, oldest first; of all boots."""
        text = run("journalctl", "-D", self.root + "/var/log/journal", "-q", "--no-pager", "-o",
                   "json", *matches, check=False).stdout
        return [json.loads(line) for line in text.splitlines()]

    def plug(self, on):
        """Its port in the bridge or not; it keeps its carrier."""
        run("ip", "link", "set", "vb-" + self.name,
            *(("master", self.lan.bridge) if on else ("nomaster",)))


LAN_SERVICE = """[Unit]
DefaultDependencies=no
Before=network.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=ip address add %s/24 dev host0
ExecStart=ip link set host0 up
[Install]
WantedBy=multi-user.target
"""

# The hosts of the manual have an eth0 with addresses for documentation.
MANUAL_LAN = LAN_SERVICE.replace(
    "ExecStart=", "ExecStart=ip link set host0 name eth0\nExecStart=", 1).replace(
    "%s", "192.0.2.%d").replace("dev host0", "dev eth0").replace("set host0 up", "set eth0 up")

# Nothing is left out, and what was written lasts.
JOURNALD_CONF = """[Journal]
Storage=persistent
RateLimitIntervalSec=0
"""


def mount_overlay(where, upper, work, lower):
    done = run("mount", "-t", "overlay", "electd-booted", "-o",
               "lowerdir=%s,upperdir=%s,workdir=%s" % (lower, upper, work), where, check=False)
    if done.returncode:
        skip("no overlay can be mounted over %s: %s" % (os.path.dirname(upper), done.stderr))


# ---- all of them ---------------------------------------------------------------------------------

class Lan:
    """A bridge and hosts that are off; electd is installed on them, or is still to be."""

    def __init__(self, count=3, installed=True):
        self.dir = os.environ["ELECTD_BOOTED"]
        self.image = os.environ["ELECTD_IMAGE"]
        self.group = os.path.join(control_groups(), os.path.basename(self.dir))
        self.bridge = "lan"
        run("ip", "link", "add", self.bridge, "type", "bridge", "mcast_snooping", "0",
            "forward_delay", "0")
        run("ip", "link", "set", self.bridge, "up")
        self.installed = self.dir + "/installed"
        if installed:
            self._install()
        else:
            os.mkdir(self.installed)
        self.hosts = [Host(self, n + 1) for n in range(count)]

    def _install(self):
        """Into the image as a package would be: once for all hosts."""
        for name in ("installed", "work", "whole"):
            os.mkdir(os.path.join(self.dir, name))
        whole = self.dir + "/whole"
        mount_overlay(whole, self.installed, self.dir + "/work", self.image)
        run("make", "-s", "-C", BUILDDIR, "install", "DESTDIR=" + whole)
        shutil.copy(PROGRAMS[-1], whole + "/usr/local/bin/stamp")
        run("umount", whole)

    def start(self, electd=None):
        """All boot; on these of them, or all, the steps that doc/install.md has after `make install`:
        who leads then."""
        for host in self.hosts:
            host.boot()
        for host in self.hosts:
            host.booted()
        for host in electd or self.hosts:
            host.run("systemd-sysusers")
            host.systemctl("-q", "enable", "--now", "electd")
        return self.settle(electd)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        for host in self.running():
            host.freeze(False)
            host.cut_power()
        if "ELECTD_LOGS" in os.environ:
            for host in self.hosts:
                with open(os.path.join(os.environ["ELECTD_LOGS"], host.name), "w") as f:
                    subprocess.run(["journalctl", "-D", host.root + "/var/log/journal", "-q",
                                    "--no-pager", "-o", "short-precise"], check=False, stdout=f)

    def running(self):
        return [h for h in self.hosts if h.nspawn]

    def leader(self, hosts=None):
        """The one that leads in the eyes of these hosts (all that run), or None."""
        seen = [(h, h.ask()) for h in hosts or self.running()]
        ids = {s["leader"]["id"] if s and s["state"] == "normal" and s["leader"] else None
               for _, s in seen}
        leaders = [h for h, s in seen if s and s["role"] == "leader"]
        return leaders[0] if len(ids) == 1 and None not in ids and len(leaders) == 1 else None

    def settle(self, hosts=None, whole=True, timeout=PATIENCE):
        """Until these hosts agree who leads, and are a whole group if asked for: that host."""
        hosts = hosts or self.running()

        def settled():
            leader = self.leader(hosts)
            return leader if leader and (
                not whole or len(leader.ask()["members"]) == len(hosts)) else None
        return until("one leader of " + " ".join(h.name for h in hosts), settled, timeout)

    def others(self, host):
        return [h for h in self.running() if h is not host]


if __name__ == "__main__":
    print(image())
