# SPDX-License-Identifier: Apache-2.0
"""Booted hosts on one LAN: Debian with its own systemd, and electd installed by `make install`.

A host is a container of systemd-nspawn (`--boot`, nothing registered on this machine): an overlay
over the image of image.sh, which is its disk even over power cuts, its own machine id, name,
journal and address, and a port of a bridge. A program calls setup() first, which puts it into
namespaces, a control group and a folder of its own. A process that stays outside removes all of
them when the program ends, for whatever reason.

All hosts share one kernel without time namespaces: CLOCK_BOOTTIME is the same on all of them and
here."""
import contextlib
import fcntl
import functools
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import lan as plain  # noqa: E402
from lan import PATIENCE, now, reply  # noqa: E402
from report import Failed  # noqa: E402

BUILDDIR = os.path.abspath(os.environ.get("BUILDDIR", "."))
PROGRAMS = [os.path.join(BUILDDIR, name) for name in (
    "electd", "electd-hookd", "electctl", "tests/lan/booted/stamp")]
# If the process outside is killed, this one and all processes inside are killed, too.
INSIDE = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "--mount", "--pid", "--fork",
          "--mount-proc", "--kill-child"]
PREFIX = "electd-booted."
HOOKS = "/etc/electd/hooks.d"
APP = "app.service"
# Polls as often as crash.py needs: a process must be asked before it finds more memory.
until = functools.partial(plain.until, pause=0.02)
SBIN = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def read(*path):
    """The content of a file; "" if it does not exist, or its process has ended."""
    try:
        with open(os.path.join(*path)) as f:
            return f.read()
    except OSError:
        return ""


def write(text, *path):
    with open(os.path.join(*path), "w") as f:
        f.write(text)


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


def need(condition, why):
    if not condition:
        print(why)
        sys.exit(77)


def mounts(kinds):
    """The mount points of file systems of these kinds, a regular expression."""
    return re.findall(r"(?m)^\S+ (\S+) (?:%s) " % kinds, read("/proc/self/mounts"))


def control_groups():
    found = mounts("cgroup2")
    need(found, "no control groups of version 2 here")
    return found[0]


def lock(folder, how):
    """Holds the lock until this program ends."""
    fcntl.flock(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW), how)


def remove(folder):
    """Removes a folder with its control groups, also those of nspawn in systemd's hierarchy."""
    groups = [os.path.join(mount, os.path.basename(folder)) for mount in mounts("cgroup2?")]
    for group in groups:
        with contextlib.suppress(OSError):
            write("1", group, "cgroup.kill")
    with contextlib.suppress(Failed):
        until("no process is left", lambda: run(
            "find", *groups, "-depth", "-type", "d", "-delete", check=False) and not any(
                map(os.path.isdir, groups)), 5)
    shutil.rmtree(folder, ignore_errors=True)


def sweep():
    """Removes the folders of runs that were killed: no process holds their lock."""
    for folder in glob.glob(os.path.join(tempfile.gettempdir(), PREFIX + "*")):
        with contextlib.suppress(OSError):
            lock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
            remove(folder)


def setup(*wanted):
    """Call first in a program: puts it into namespaces of its own. Exits with 77 if that is
    impossible. `wanted`: arguments of image.sh; without any, the image that our programs use."""
    if "ELECTD_BOOTED" not in os.environ:
        sys.exit(outside(image(wanted)))
    run("mount", "-t", "tmpfs", "electd-booted", "/run")
    os.mkdir("/run/netns")
    run("ip", "link", "set", "lo", "up")


def image(wanted=(), programs=tuple(PROGRAMS)):
    """The folder of the image for hosts on which the programs run; makes it if needed."""
    for program in programs:
        if not os.access(program, os.X_OK):
            sys.exit("%s is not there: build it, and name the folder in BUILDDIR" % program)
    need(not os.geteuid(), "only root can boot hosts")
    need(shutil.which("systemd-nspawn"), "no systemd-nspawn here (package systemd-container)")
    need(not run(*INSIDE, "true", check=False).returncode, "no namespaces may be made here")
    made = subprocess.run(["bash", os.path.join(HERE, "image.sh"), *(wanted or programs)],
                          check=False, stdout=subprocess.PIPE, text=True)
    words = made.stdout.strip()
    if made.returncode == 1:
        print("FAILED image: " + words)
        sys.exit(1)
    need(not made.returncode, words or "no image")
    return words


def outside(folder_of_image, *arguments, before=lambda folder: None):
    """Runs this program inside, with these arguments instead of its own, waits for it, and removes
    what it leaves. `before` is called outside, with the folder that is removed at the end."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    sweep()
    folder = tempfile.mkdtemp(prefix=PREFIX)
    try:
        lock(folder, fcntl.LOCK_EX)
        os.mkdir(os.path.join(control_groups(), os.path.basename(folder)))
        lock(folder_of_image, fcntl.LOCK_SH)
        before(folder)
        return subprocess.run(
            [*INSIDE, sys.executable, "-B", sys.argv[0], *(arguments or sys.argv[1:])], check=False,
            env={**os.environ, "ELECTD_BOOTED": folder, "ELECTD_IMAGE": folder_of_image}).returncode
    finally:
        remove(folder)


def numbered(pids, number):
    """The process that has this number in its innermost namespace, or None."""
    return next((int(pid) for pid in pids if re.search(
        r"(?m)^NSpid:.*\t%s$" % number, read("/proc/%s/status" % pid))), None)


def name_of(pid):
    return read("/proc/%s/comm" % pid).strip()


def children(pid):
    return [int(child) for child in read("/proc/%d/task/%d/children" % (pid, pid)).split()]


def overlay(folder, *lower):
    """Makes a folder with a disk over `lower`; its changes are in `upper`. Returns its path."""
    for name in ("", "root", "upper", "work"):
        os.mkdir(os.path.join(folder, name))
    done = run("mount", "-t", "overlay", "electd-booted", "-o",
               "lowerdir={1},upperdir={0}/upper,workdir={0}/work".format(folder, ":".join(lower)),
               folder + "/root", check=False)
    need(not done.returncode, "no overlay can be mounted: " + done.stderr)
    return folder + "/root"


class Host:
    """One host: its disk and, while it runs, the process that is its systemd."""

    def __init__(self, lan, number):
        self.lan, self.number, self.name = lan, number, "host%d" % number
        self.address = "192.0.2.%d" % number
        self.dir, self.group = os.path.join(lan.dir, self.name), os.path.join(lan.group, self.name)
        os.mkdir(self.group)
        self.root = overlay(self.dir, *lan.disk)
        self.nspawn = self.leader = None    # the process that is 1 in there
        self.write("/etc/machine-id", "%032x\n" % number)
        self.write("/etc/hostname", self.name + "\n")
        self.write("/etc/systemd/system/lan.service", MANUAL_LAN % number)
        self.write("/etc/systemd/journald.conf.d/all.conf", JOURNALD_CONF)
        os.makedirs(self.root + "/var/log/journal", exist_ok=True)
        run("systemctl", "--root", self.root, "-q", "enable", "lan.service")

    def write(self, path, text, mode=0o644):
        """Writes a file of its disk (not below /run, which is in memory). The file is replaced as a
        whole, because a running program cannot be written to, and half a script must not be run."""
        path, written = self.root + path, self.root + "/.written"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(text, written)
        os.chmod(written, mode)
        os.replace(written, path)

    def inside(self, path):
        """The path of the same file as the running host sees it."""
        return "/proc/%d/root%s" % (self.leader, path)

    def boot(self, *options, **environment):
        """Boots the host with more options of systemd-nspawn and variables of its environment."""
        with open(self.dir + "/console", "a") as log:
            self.nspawn = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self.group,
                 "systemd-nspawn", "-q", "-D", self.root, "--boot", "--register=no", "--keep-unit",
                 "--network-bridge=" + self.lan.bridge, "--machine=" + self.name,
                 "--resolv-conf=off", "--timezone=off", "--link-journal=no",
                 # As on a machine: processes may lock keys in memory.
                 "--system-call-filter=@memlock", *options],
                env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1", **environment},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.leader = until("systemd of %s runs" % self.name, self._find_leader)
        until("it answers", lambda: os.path.exists(self.inside("/run/systemd/private")))
        return self

    def booted(self):
        self.run("systemctl", "is-system-running", "--wait", check=False)
        return self

    def _find_leader(self):
        if self.nspawn.poll() is not None:
            raise Failed("nspawn of %s ended: %s" % (self.name, read(self.dir, "console")[-400:]))
        pid = numbered(children(self.nspawn.pid), 1)
        return name_of(pid) == "systemd" and pid

    def off(self):
        self.nspawn.wait(PATIENCE)
        self.nspawn = self.leader = None

    def cut_power(self):
        at = now()
        os.kill(self.leader, signal.SIGKILL)
        self.off()
        return at

    def reboot(self):
        self.run("systemctl", "--no-block", "reboot")
        self.off()
        self.boot()

    def freeze(self, on):
        write("%d" % on, self.group, "cgroup.freeze")
        until("%s is frozen: %s" % (self.name, on),
              lambda: "frozen %d" % on in read(self.group, "cgroup.events"))

    def run(self, *words, check=True, timeout=60):
        return run("nsenter", "-t", str(self.leader), "-a", *words, check=check, timeout=timeout)

    sh = functools.partialmethod(run, "sh", "-c")
    systemctl = functools.partialmethod(run, "systemctl")
    electctl = functools.partialmethod(run, "electctl")
    typed = functools.partialmethod(run, "env", "-i", "-C", "/root", "HOME=/root", "LANG=C.UTF-8",
                                    "PATH=" + SBIN, "bash", "-ec")

    def state(self, unit):  # active, inactive, failed, ...
        return self.systemctl("is-active", unit, check=False).stdout.strip()

    def main_pid(self, unit):
        """The main process of a service, numbered as here; None while it does not run."""
        show = self.systemctl("show", "-P", "MainPID", "-P", "ControlGroup", unit).stdout.split()
        return numbered(read("%s/payload%s/cgroup.procs" % (self.group, show[-1])).split(), show[0])

    def kill(self, unit, number=signal.SIGKILL):
        """Sends a signal to the main process of a service, and returns the time just before."""
        pid, before = self.main_pid(unit), now()
        check(pid, "%s of %s does not run", unit, self.name)
        os.kill(pid, number)
        return before

    def request(self, text, domain=None, timeout=2):
        """Sends a request as it is. Returns (the error's name or None, parameters)."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(timeout)
            s.connect(self.inside("/run/electd%s/io.electd" % ("-" + domain if domain else "")))
            s.sendall(text.encode() + b"\0")
            return reply(s)

    def ask(self, method="GetStatus", domain=None, **parameters):
        """The parameters of electd's reply; None while it does not answer."""
        with contextlib.suppress(OSError):
            return self.request(json.dumps({"method": "io.electd." + method,
                                            "parameters": parameters}), domain)[1]

    def leads(self, domain=None):
        status = self.leader and self.ask(domain=domain)
        return bool(status) and status["role"] == "leader"

    def log(self, form, *matches):
        """The journal of all boots, in this form."""
        return run("journalctl", "-D", self.root + "/var/log/journal", "-q", "--no-pager", "-o", form,
                   *matches, check=False).stdout

    def journal(self, *matches):
        return [json.loads(line) for line in self.log("json", *matches).splitlines()]

    def plug(self, on):
        """Plugs its port into the bridge, or unplugs it; the carrier stays."""
        run("ip", "link", "set", "vb-" + self.name, *(["master", self.lan.bridge] if on else ["nomaster"]))


MANUAL_LAN = """[Unit]
DefaultDependencies=no
Before=network.target
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=ip link set host0 name eth0
ExecStart=ip address add 192.0.2.%d/24 dev eth0
ExecStart=ip link set eth0 up
[Install]
WantedBy=multi-user.target
"""
JOURNALD_CONF = "[Journal]\nStorage=persistent\nRateLimitIntervalSec=0\n"


class Lan:
    """A bridge and hosts that are off; electd is installed on them, or not yet."""

    def __init__(self, count=3, installed=True):
        self.dir, self.image = os.environ["ELECTD_BOOTED"], os.environ["ELECTD_IMAGE"]
        self.group = os.path.join(control_groups(), os.path.basename(self.dir))
        self.bridge = "lan"
        run("ip", "link", "add", self.bridge, "up", "type", "bridge", "mcast_snooping", "0",
            "forward_delay", "0")
        self.disk = [*([self._install()] if installed else []), self.image]
        self.hosts = [Host(self, n + 1) for n in range(count)]
        for host in self.hosts:
            host.write("/etc/hosts", "127.0.0.1 localhost\n" + "".join(
                "%s %s\n" % (h.address, h.name) for h in self.hosts))

    def _install(self):
        """Installs electd into the image as a package would: once for all hosts."""
        whole = overlay(self.dir + "/installed", self.image)
        # Two programs run at a time, and each may call make.
        run("flock", BUILDDIR, "make", "-s", "-C", BUILDDIR, "install", "DESTDIR=" + whole, timeout=600)
        shutil.copy(PROGRAMS[-1], whole + "/usr/local/bin/stamp")
        run("umount", whole)
        return self.dir + "/installed/upper"

    def boot(self):
        for host in self.hosts:
            host.boot()
        for host in self.hosts:
            host.booted()

    def start(self, electd=None):
        """Boots all hosts. On those in `electd`, or on all, runs the steps of doc/install.md after
        `make install`. Returns the leader."""
        self.boot()
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
        for host in self.hosts if "ELECTD_LOGS" in os.environ else ():
            write(host.log("short-precise"), os.environ["ELECTD_LOGS"], host.name)

    def running(self):
        return [h for h in self.hosts if h.nspawn]

    def leader(self, hosts=None):
        """The host that leads according to these hosts (by default all that run), or None."""
        seen = {h: h.ask() for h in hosts or self.running()}
        ids = {s and s["state"] == "normal" and (s["leader"] or {}).get("id") for s in seen.values()}
        leaders = [h for h, s in seen.items() if s and s["role"] == "leader"]
        return leaders[0] if len(leaders) == len(ids) == 1 and all(ids) else None

    def settle(self, hosts=None, whole=True):
        """Waits until these hosts, if `whole` a full group, agree on a leader: that host."""
        hosts = hosts or self.running()

        def settled():
            leader = self.leader(hosts)
            missing = whole and leader and len(leader.ask()["members"]) != len(hosts)
            return None if missing else leader
        return until("one leader of " + " ".join(h.name for h in hosts), settled)

    def others(self, host):
        return [h for h in self.running() if h is not host]


if __name__ == "__main__":
    print(image())
