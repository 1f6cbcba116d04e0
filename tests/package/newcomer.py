#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""README.md's first three commands work on a fresh Debian, typed as they are printed.

newcomer.py [bookworm | trixie] [chroot | booted] [demo] [install] [tests]: by default four cases,
both releases without systemd (a plain chroot, whose root is no mount point) and booted, and all
three commands of the page, in its order. A root holds the minimal base of debootstrap, systemd if
it boots, and the packages that the page names (NAMED). In the booted case an ordinary user who may
use sudo clones the repository and types the commands there; in the chroot root does, without
`sudo`. After the installation in the booted case, two further hosts get the packages, and all three
the addresses of README.md's first recipe.

Each case has a network namespace with one LAN interface, and its apt reaches the archives through
proxy.py. The terminal has 24 lines of 80 columns. The transcript of a case has for each command the
exit status, the minutes, the packages, MB of disk and of traffic, and the last screen; its file is
named at the end."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
TREE = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(TREE, "tests/lan/booted"))
import hosts  # noqa: E402
from hosts import Failed, now, run, until  # noqa: E402
import pages  # noqa: E402
import printed  # noqa: E402
import proxy  # noqa: E402
import report  # noqa: E402
import served  # noqa: E402

SUITES = ("bookworm", "trixie")
# The packages besides the minimal base. The page names NAMED.
NAMED = ("git", "sudo", "ca-certificates")
KINDS = {"chroot": NAMED, "booted": ("systemd", "systemd-sysv", *NAMED)}
PARTS = ("demo", "install", "tests")
LONGEST = 60
SCREEN, WIDTH, FEW = 24, 80, 30
NET, NET6 = "192.0.2.%d", "2001:db8::%d"
ADDRESS, ROUTER, PORT = NET % 1, NET % 254, 3128
FLOATING = [NET % 100, NET6 % 100]
COMMANDS_MAX = 3    # on each host, from the packages to working addresses
DAEMONS = ("electd", "electd-hookd")
INSTALL_LOG = "/var/log/electd-install.log"
APT_CONF = "/etc/apt/apt.conf.d/network"
# Rights of a container in which namespaces can be made.
RIGHTS = {"SYSTEMD_SECCOMP": "0", "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1"}


# ---- the page ------------------------------------------------------------------------------------

def commands():
    """The first three commands, without their comments."""
    found = re.findall(r"(?m)^    (sudo t.*?)(?:\s+#.*)?$", pages.text_of("README.md"))[:3]
    if [command.split()[1] for command in found] != ["tools/demo.sh", "tools/install.sh", "tests/run.sh"]:
        raise Failed("README.md begins with %s" % found)
    return found


def as_printed():
    """Each command is one program; the page names the packages before the commands."""
    text = pages.text_of("README.md")
    for command in commands():
        program = command.split()[1]
        if len(command) > LONGEST or re.search(r"[;&|<>`$(){}\\'\"]", command):
            raise Failed("not one program in %d characters: %s" % (LONGEST, command))
        if not os.access(os.path.join(TREE, program), os.X_OK):
            raise Failed("no program: " + program)
    section = text[:text.index("    " + commands()[0])].split("\n## ")[-1]
    missing = [name for name in NAMED if name not in section]
    if missing:
        raise Failed("README.md does not name before its first command: " + " ".join(missing))
    return ", ".join(commands())


# ---- a fresh Debian ------------------------------------------------------------------------------

class Chroot:
    """Root in a plain chroot. Its process 1 is a shell, which reaps orphans."""
    user, home = "root", "/root"

    def __init__(self, lan, image):
        self.root = lan.dir + "/root"
        self.group = lan.group + "/typed"
        self.enter = []
        run("cp", "-a", image, self.root, timeout=None)

    def start(self):
        init = subprocess.Popen(
            ["unshare", "--net", "--uts", "--pid", "--mount", "--fork", "--kill-child", "bash", "-ec",
             "hostname newcomer; ip link set lo up; cd '%s'; mount -t proc proc proc; "
             "mount -t sysfs sysfs sys; mount --rbind /dev dev; echo; sleep infinity & wait" %
             self.root], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        init.stdout.readline()
        with open("/proc/%d/task/%d/children" % (init.pid, init.pid)) as f:
            first = f.read().strip()
        run("ip", "link", "add", "port", "type", "veth", "peer", "name", "eth0", "netns", first)
        run("ip", "link", "set", "port", "master", "lan", "up")
        network(first, "eth0", 1)
        self.enter = ["nsenter", "-t", first, "-a", "chroot", self.root]

    def spoken(self, command):
        """The page tells root to leave out sudo."""
        return command.removeprefix("sudo ")

    def running(self, daemon):
        """Whether the pid file names a process of that program."""
        return run(*self.enter, "sh", "-c", "cat /proc/$(cat /run/electd/%s.pid)/comm" % daemon,
                   check=False).stdout == daemon + "\n"

    def enabled(self):
        return True


class Booted(hosts.Host):
    """A user with sudo on a booted host."""
    user, home = "carol", "/home/carol"

    # pylint: disable=super-init-not-called
    def __init__(self, lan, image, number=1, name="newcomer"):
        self.lan, self.number, self.name = lan, number, name
        self.nspawn = self.leader = None
        self.dir = os.path.join(lan.dir, name)
        self.root = self.dir + "/root"
        self.group = os.path.join(lan.group, name)
        self.enter = []
        os.mkdir(self.group)
        os.mkdir(self.dir)
        run("cp", "-a", image, self.root, timeout=None)
        self.write("/etc/machine-id", uuid.uuid4().hex + "\n")
        self.write("/etc/sudoers.d/carol", "carol ALL=(ALL) NOPASSWD: ALL\n", 0o440)
        run("chroot", self.root, "useradd", "-m", "-s", "/bin/bash", self.user)
        lan.hosts.append(self)

    def start(self):
        self.boot("--capability=all", **RIGHTS)
        network(self.leader, "host0", self.number)
        self.booted()
        self.enter = ["nsenter", "-t", str(self.leader), "-a", "runuser", "-u", self.user, "--"]
        # systemd-nspawn refuses to start in a control group of another host.
        self.group += "/payload/typed"

    def spoken(self, command):
        return command

    def running(self, daemon):
        return self.state(daemon) == "active"

    def enabled(self):
        return self.systemctl("is-enabled", "electd", check=False).stdout == "enabled\n"


def network(process, interface, number):
    """Gives a host its addresses and its carrier on a LAN."""
    ip = ["nsenter", "-t", str(process), "-n", "ip"]
    run(*ip, "address", "add", NET % number + "/24", "dev", interface)
    run(*ip, "address", "add", NET6 % number + "/64", "dev", interface, "nodad")
    run(*ip, "link", "set", interface, "up")


def screen(text):
    """The text that a terminal shows, without colours and lines that were overwritten."""
    lines = []
    for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n").split("\n"):
        shown = ""
        for piece in line.split("\r"):
            shown = piece + shown[len(piece):]
        lines.append(shown.rstrip())
    return "\n".join(lines).strip("\n")


# ---- a case --------------------------------------------------------------------------------------

class Newcomer:
    def __init__(self, lan, host, folder):
        self.lan, self.host, self.folder = lan, host, folder
        self.clone = host.home + "/electd"
        self.figures = []
        self.transcript = open(folder + "/transcript", "w")

    def tell(self, text):
        print(text, flush=True)
        print(text, file=self.transcript, flush=True)

    def prepare(self):
        """Makes the host, its connection to the archives, and the user's repository."""
        bundle(self.host.root + "/srv/electd.bundle", self.lan.dir)
        # Without an address of its own a bridge has that of a port, which changes with the ports.
        run("ip", "link", "set", self.lan.bridge, "address", "02:00:00:00:00:01")
        run("ip", "address", "add", ROUTER + "/24", "dev", self.lan.bridge)
        proxy.listen(self.lan.dir, (ROUTER, PORT))
        self.begin(self.host, "newcomer", ADDRESS)

    def begin(self, host, name, address):
        """Starts a host that has its name and a way to the archives."""
        hosts.write("127.0.0.1 localhost\n%s %s\n" % (address, name), host.root + "/etc/hosts")
        hosts.write(name + "\n", host.root + "/etc/hostname")
        self.archives("%s:%d" % (ROUTER, PORT), host)
        host.start()

    def archives(self, address, host=None):
        """Configures this proxy for apt."""
        hosts.write('Acquire::http::Proxy "http://%s";\nAcquire::http::Pipeline-Depth "0";\n' %
                    address, (host or self.host).root + APT_CONF)

    def type(self, command, folder=None, check=True, host=None):
        """Types a command in a terminal, in the clone. Returns its exit status and the screen."""
        host = host or self.host
        os.makedirs(host.group, exist_ok=True)
        with tempfile.TemporaryFile(dir=self.folder) as output:
            terminal = subprocess.Popen(
                ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', host.group,
                 *host.enter, "env", "-i", "-C", folder or self.clone,
                 "HOME=" + host.home, "USER=" + host.user, "LANG=C.UTF-8", "TERM=linux",
                 "PATH=" + (printed.SBIN if host.user == "root" else
                            "/usr/local/bin:/usr/bin:/bin"),
                 "script", "-qefc", "stty cols %d rows %d; %s" % (WIDTH, SCREEN, command),
                 "/dev/null"],
                stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT)
            # The standard input of the terminal stays open and is not used.
            status = terminal.wait()
            terminal.stdin.close()
            output.seek(0)
            text = output.read().decode(errors="replace")
        if check and status:
            raise Failed("%s: exit %d\n%s" % (command, status, indented(screen(text), 60)))
        return status, screen(text)

    def used(self):
        """Packages, their MB by dpkg, MB on the disk, and MB of network traffic."""
        sizes = [int(line.split()[1]) for line in run(
            "dpkg-query", "--admindir=%s/var/lib/dpkg" % self.host.root, "-W", "-f",
            "${db:Status-Status} ${Installed-Size}\n").stdout.splitlines()
            if line.startswith("installed ")]
        disk = int(run("du", "-smx", self.host.root, timeout=None).stdout.split()[0])
        with open("/proc/net/dev") as f:
            sent = next(line.split()[9] for line in f if line.split()[0] == "lan:")
        return len(sizes), sum(sizes) // 1024, disk, int(sent) // 1000000

    def measured(self, command):
        """The screen of a command that succeeds; adds its row to the table of figures."""
        command = self.host.spoken(command)
        self.tell("%s $ %s" % (now_words(), command))
        before, begin, scratch = self.used(), now(), self.scratch()
        status, text = self.type(command, check=False)
        minutes = (now() - begin) / 60
        used = [after - b for after, b in zip(self.used(), before)]
        row = "%s: exit %d, %.1f min, %d packages of %d MB, %d MB on the disk, %d MB of traffic" % (
            command, status, minutes, *used)
        self.figures.append(row)
        self.tell(indented(text, SCREEN if status == 0 else 200))
        self.tell(row)
        if status:
            raise Failed("exit %d" % status)
        if self.scratch() != scratch:
            raise Failed("left behind: %s" % sorted(self.scratch() - scratch))
        self.belongs_to_the_user()
        return text

    def scratch(self):
        """Temporary files."""
        return {name for folder in ("/tmp", "/var/tmp") for name in self.type(
            "ls -A " + folder)[1].split() if name.startswith(("electd", "tmp."))}

    def only_the_named(self):
        """No package for building or testing is installed besides the base and NAMED."""
        found = dict(line.split("\t") for line in run(
            "dpkg-query", "--admindir=%s/var/lib/dpkg" % self.host.root, "-W", "-f",
            "${Package}\t${Priority}\n").stdout.splitlines())
        asked = run(os.path.join(TREE, "tests/deps.sh"), "list", "build", "gate").stdout.split()
        more = [name for name in asked if found.get(name, "required") != "required" and
                name not in KINDS["booted"]]
        if more:
            raise Failed("there already: " + " ".join(more))
        self.type("git -c init.defaultBranch=main clone -q /srv/electd.bundle electd",
                  self.host.home)
        return "%d packages are there" % len(found)

    def refused(self, command, *words):
        """The command fails in few lines, and the last screen names the cause."""
        status, text = self.type(command, check=False)
        self.tell("%s $ %s\n%s" % (now_words(), command, indented(text, FEW)))
        lines = text.splitlines()
        last = "\n".join(lines[-SCREEN:])
        if status == 0 or len(lines) > FEW or not all(word in last for word in words):
            raise Failed("%s: exit %d, %d lines, without %s" % (command, status, len(lines), [
                word for word in words if word not in last]))

    def clear_errors(self):
        install = commands()[1]
        self.refused(self.host.spoken(install) + " --nothing", "usage: ", "--packages")
        if self.host.user != "root":
            self.refused(install.removeprefix("sudo "), "root", "sudo ")
        self.archives("127.0.0.1:9")
        try:
            self.refused(self.host.spoken(install), "apt cannot reach its archives", INSTALL_LOG)
            self.refused(self.host.spoken(commands()[0]), "apt cannot reach its archives")
        finally:
            self.archives("%s:%d" % (ROUTER, PORT))

    def belongs_to_the_user(self):
        """Each file of the clone belongs to the user, and git finds no new one."""
        wrong = self.type("find %s ! -user %s" % (self.clone, self.host.user))[1]
        wrong += self.type("git status --short")[1]
        if wrong:
            raise Failed("in the clone:\n" + wrong)

    def demo(self):
        """The demo succeeds, and ends with the next command."""
        words = self.measured(commands()[0]).split()
        if not " ".join(words).endswith(commands()[1].removeprefix("sudo ")):
            raise Failed("it ends with: " + " ".join(words[-12:]))

    def shown(self, text):
        """A line for each step, then electctl; both daemons run. Returns the last two commands."""
        if INSTALL_LOG not in text.split("\n")[0] or not os.path.getsize(self.host.root + INSTALL_LOG):
            raise Failed("the first line names no log")
        wide = [line for line in text.splitlines() if len(line) > WIDTH]
        if wide:
            raise Failed("longer than %d: %s" % (WIDTH, wide[0]))
        steps, _, status = text.partition("\n\n")
        odd = [line for line in steps.splitlines()[1:] if not re.match(r"\S.* \.\.\. +\d+ s$", line)]
        if odd:
            raise Failed("not one line a step: %s" % odd)
        now_shown = self.type("electctl")[1]
        first = now_shown.splitlines()[0]
        if ' leads "default"' not in first or not status.startswith(first) or \
                not re.search(r"(?m)^Leader +newcomer", status):
            raise Failed("it does not end with the output of electctl:\n" + indented(now_shown, 40))
        self.runs(True)
        if not self.host.enabled():
            raise Failed("electd is not enabled")
        return re.findall(r"(?m)^    (\S.*)$", status)[-2:]

    def runs(self, wanted):
        for daemon in DAEMONS:
            if self.host.running(daemon) != wanted:
                raise Failed("%s %s" % (daemon, "does not run" if wanted else "runs"))

    def install(self):
        stop, start = self.shown(self.measured(commands()[1]))
        if "stop" not in stop or "start" not in start:
            raise Failed("it does not end with the commands that stop and start: " + stop)
        self.type(self.host.spoken(stop))
        self.runs(False)
        if self.type("electctl", check=False)[0] == 0:
            raise Failed("electctl still succeeds after: " + stop)
        self.type(self.host.spoken(start))
        # The job of electd does not wait for the services that it pulls in.
        until("all run after: " + start, lambda: all(map(self.host.running, DAEMONS)))
        until("a leader after: " + start,
              lambda: ' leads "default"' in self.type("electctl", check=False)[1])
        return "%s; %s" % (stop, start)

    def three_hosts(self):
        """From the packages to addresses that answer, on three hosts, with few commands."""
        install = "sudo apt-get install -y ./packages/electd_*.deb"
        recipe = pages.recipe_of_addresses(*FLOATING)
        if install.replace(" -y", "") not in pages.text_of("README.md"):
            raise Failed("README.md does not have: " + install)
        client = served.Client(self.lan.dir, self.lan.bridge, FLOATING,
                               (NET % 253 + "/24", NET6 % 253 + "/64"))
        typed = {self.host: recipe}
        for number in 2, 3:
            host = Booted(self.lan, self.lan.image, number, "host%d" % number)
            shutil.copytree(self.host.root + self.clone + "/packages", host.root + host.home +
                            "/packages")
            self.begin(host, host.name, NET % number)
            self.type("sudo apt-get update", host.home, host=host)
            typed[host] = [install, *recipe]
        for host, some in typed.items():
            for command in some:
                self.tell("%s %s $ %s" % (now_words(), host.name, command))
                self.type(command, host.home, host=host)
        at = now()
        for address in FLOATING:
            client.answered(address, at)
        took = now() - at
        for host in typed:
            self.type("electctl address", host.home, host=host)
        client.close()
        most = max(map(len, typed.values()))
        if most > COMMANDS_MAX:
            raise Failed("%d commands" % most)
        return "at most %d commands a host, answers %.2f s after the last" % (most, took)

    def pid(self):
        return self.type("pidof electd")[1]

    def upgrade(self):
        """Installs again: a new electd, with the configuration and the id of the old one."""
        sudo = self.host.spoken("sudo ")
        with open(self.lan.dir + "/conf", "w") as f:
            f.write("priority = 7;\n")
        self.type(sudo + "mkdir -p /etc/electd")
        shutil.copy(self.lan.dir + "/conf", self.host.root + "/etc/electd/electd.conf")
        identity, old = self.node()["id"], self.pid()
        self.shown(self.measured(commands()[1]))
        node = self.node()
        if self.pid() == old or node["id"] != identity or node["priority"] != 7:
            raise Failed("pid %s before; now pid %s, %s" % (old, self.pid(), node))

    def node(self):
        return json.loads(self.type("electctl --json status")[1])["node"]

    def gate(self):
        last = self.measured(commands()[2]).splitlines()[-1]
        if not re.fullmatch(r"\d+ passed, 0 failed", last):
            raise Failed(last)
        return last

    def end(self):
        """Keeps the files that show why something has failed."""
        for name in os.listdir(self.host.root + "/var/log"):
            if name.startswith("electd"):
                shutil.copy(self.host.root + "/var/log/" + name, self.folder)
        self.tell("\n".join(["", *self.figures]))


def now_words():
    return run("date", "+%H:%M:%S").stdout.strip()


def indented(text, most):
    """The last lines, indented so that no line looks like a result."""
    return "\n".join("    | " + line for line in text.splitlines()[-most:])


def bundle(path, folder):
    """Makes a repository of the present files in a bundle. It has the history, if there is one, and
    one more commit unless everything is committed."""
    git, tree = folder + "/git", folder + "/tree"
    history = os.environ.get("HISTORY", TREE)
    run("git", "init", "-q", "--bare", "-b", "main", git)
    if run("git", "-c", "safe.directory=*", "-C", history, "bundle", "create", "-q", path, "HEAD",
           check=False).returncode == 0:
        run("git", "--git-dir", git, "fetch", "-q", path, "HEAD:main")
    printed.copy_tree(tree)
    words = ("git", "--git-dir", git, "--work-tree", tree, "-c", "user.name=Nobody", "-c",
             "user.email=nobody@example.org")
    run(*words, "add", "--all", timeout=None)
    if run(*words, "status", "--porcelain").stdout:
        run(*words, "commit", "-q", "-m", "The tree as it is")
    run(*words, "bundle", "create", "-q", path, "HEAD", "main")


def inside(suite, kind, parts):
    """Runs one case in namespaces of its own."""
    hosts.setup()
    result = report.Report()
    name = "%s, %s: " % (suite, kind)
    with hosts.Lan(0, installed=False) as lan:
        case = Newcomer(lan, {"chroot": Chroot, "booted": Booted}[kind](lan, lan.image),
                        os.environ["ELECTD_LOGS"])
        result.attempt(name + "as printed", as_printed)
        case.prepare()
        # The error cases come first, because nothing that could hide them is installed then.
        for part, words, function in (
                ("", "nothing but what the page names", case.only_the_named),
                ("install", "clear errors", case.clear_errors),
                ("demo", "the demo", case.demo),
                ("install", "the installation", case.install),
                ("install", "the installation again", case.upgrade),
                ("install", "three hosts with addresses", case.three_hosts),
                ("tests", "the tests", case.gate)):
            if part in ("", *parts) and (function != case.three_hosts or kind == "booted"):
                result.attempt(name + words, function)
        case.end()
    result.exit()


def main():
    words = sys.argv[1:]
    if not set(words) <= {*SUITES, *KINDS, *PARTS}:
        sys.exit("usage: newcomer.py [bookworm | trixie] [chroot | booted] [demo] [install] [tests]")
    suites, kinds, parts = ([word for word in all_of if word in words] or list(all_of)
                            for all_of in (SUITES, KINDS, PARTS))
    if "ELECTD_BOOTED" in os.environ:
        inside(suites[0], kinds[0], parts)
    logs = os.environ.get("ELECTD_LOGS", os.path.join(tempfile.gettempdir(), "electd-newcomer"))
    failed, transcripts = False, []
    for suite in suites:
        for kind in kinds:
            name = "%s-%s" % (suite, kind)
            print("---- " + name, flush=True)
            try:
                image = hosts.image(("--bare", "--suite", suite, "--include",
                                     ",".join(KINDS[kind])), programs=())
            except SystemExit as end:
                if end.code != 77:
                    raise
                print("ok %s # SKIP" % name)
                continue
            os.environ["ELECTD_LOGS"] = os.path.join(logs, name)
            shutil.rmtree(os.environ["ELECTD_LOGS"], ignore_errors=True)
            os.makedirs(os.environ["ELECTD_LOGS"])
            status = hosts.outside(image, suite, kind, *parts, before=proxy.serve)
            failed = failed or status != 0
            transcripts.append(os.environ["ELECTD_LOGS"] + "/transcript")
    print("transcripts: " + " ".join(transcripts))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
