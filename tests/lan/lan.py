# SPDX-License-Identifier: Apache-2.0
"""Real hosts on a LAN made of network namespaces, for the programs of this folder.

A host is a network namespace with one interface, which is wired to a port of a bridge, and runs a
real electd with its own configuration, state and control socket. The LAN is split by moving ports
to other bridges, so no host loses its carrier. One thread reads the subscriptions of all hosts and
stamps the events on one clock, CLOCK_BOOTTIME, when they arrive: a time is what a script of a user
would have seen.

A program calls setup() first, which puts it into namespaces of its own; everything in them ends
with the program. A program must not touch the machine's own network, and ends only processes that
it started."""
import contextlib
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from report import Failed

BUILDDIR = os.environ.get("BUILDDIR", ".")
ELECTD = os.environ.get("ELECTD", os.path.join(BUILDDIR, "electd"))
ELECTCTL = os.environ.get("ELECTCTL", os.path.join(BUILDDIR, "electctl"))

GROUPS = "ip daddr 224.0.0.0/4", "ip6 daddr ff02::114", "ip6 daddr ff02::1"

BEACON = 0.200
DEAD_AFTER = 0.600
# Seconds that a group of one waits before it leads; also a bound for "it never happens".
LONE_HOLD = 1.200
# The only timeout: an event that has not come by then does not come. No test measures with it.
PATIENCE = 60.0


def running(pid):
    """Returns (name, pid of its parent) of a process; None if it does not exist or is a zombie."""
    try:
        with open("/proc/%d/stat" % pid) as stat:
            name, rest = stat.read().split("(", 1)[1].rsplit(")", 1)
    except (FileNotFoundError, ProcessLookupError):
        return None
    state, parent = rest.split()[:2]
    return (name, int(parent)) if state != "Z" else None


def states():
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid) as f:
                state, parent = f.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue
        found[int(pid)] = state, int(parent)
    return found


def processes(root):
    """A process and its descendants, the youngest first, without those that have ended."""
    everything, found = states(), [root]
    for above in found:
        found.extend(pid for pid, (_, parent) in everything.items() if parent == above)
    return [pid for pid in reversed(found) if everything.get(pid, "Z")[0] != "Z"]


def send(pids, number):
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def until(what, condition, timeout=PATIENCE, pause=0.05):
    """Polls a condition for which there is no event, and returns its last value."""
    end = now() + timeout
    while True:
        value = condition()
        if value:
            return value
        if now() > end:
            raise Failed("not within %.1f s: %s" % (timeout, what))
        time.sleep(pause)


def run(*words, check=True):
    return subprocess.run(words, check=check, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True)


def reply(stream):
    """Reads the one reply to a Varlink call: (the error's name or None, its parameters)."""
    data = b""
    while not data.endswith(b"\0"):
        piece = stream.recv(65536)
        if not piece:
            raise ConnectionError("electd closed the connection")
        data += piece
    answer = json.loads(data[:-1])
    return answer.get("error"), answer.get("parameters")


# Fields of a status that change without an event.
PASSING = "since_ms", "members", "peers"


class Host:
    """One host: a namespace, a configuration and, while it runs, an electd.

    A subclass for another program defines how the program is started (command), where it reports
    changes (connect), and how its reports are read (event_of)."""

    separator = b"\0"      # between two reports
    reports = True         # False: it is polled, by look()
    program = ELECTD

    def __init__(self, lan, number, config=""):
        self.lan = lan
        self.number = number
        self.name = "host%d" % number
        self.address = "10.77.0.%d" % number
        self.identify()
        self.port = "port%d" % number
        self.more_ports = []    # of further cards: the kernel deletes a namespace later, and its links then
        self.dir = os.path.join(lan.dir, self.name)
        self.config = os.path.join(self.dir, "electd.conf")
        self.state_dir = os.path.join(self.dir, "state")
        self.runtime_dir = os.path.join(self.dir, "run")
        self.socket_path = os.path.join(self.runtime_dir, "io.electd")
        self.process = None
        self.starts = []      # times of the starts
        self.view = None      # the last status; None if unknown
        os.makedirs(self.dir)
        self.write_config(config)
        run("ip", "netns", "add", self.name)
        run("ip", "link", "add", self.port, "type", "veth", "peer", "name",
            self.interface, "netns", self.name)
        run("ip", "-n", self.name, "link", "set", "lo", "up")
        run("ip", "-n", self.name, "addr", "add", self.address + "/24", "dev", self.interface)
        run("ip", "-n", self.name, "link", "set", "dev", self.interface, "up")
        run("ip", "link", "set", self.port, "master", lan.bridge(0), "up")

    def identify(self):
        """Sets the id, the name (None: the host name) and the interface; smoke.py draws them."""
        self.id = "%032x" % self.number
        self.node_name = self.name
        self.interface = "eth0"

    def rules(self, text):
        done = subprocess.run(["nsenter", "--net=/run/netns/" + self.name, "nft", "-f", "-"],
                              input=text, text=True, stderr=subprocess.PIPE, check=False)
        if done.returncode:
            raise Failed("nft: %s" % done.stderr)

    def without_multicast(self):
        drops = "\n".join("  %s udp dport 7543 drop" % group for group in GROUPS)
        self.rules("table inet multicast {\n" + "".join(
            " chain %s {\n  type filter hook %s priority -1;\n%s\n }\n" % (hook, hook, drops)
            for hook in ("input", "output")) + "}\n")

    def know(self, addresses):
        """Configures network.peers, from the next start or reload on."""
        os.makedirs(self.config + ".d", exist_ok=True)
        with open(self.config + ".d/peers.conf", "w") as f:
            f.write("network: { peers = [ %s ]; };\n" %
                    ", ".join('"%s"' % address for address in addresses))

    def write_config(self, extra=""):
        with open(self.config, "w") as f:
            name = 'name = "%s"; ' % self.node_name if self.node_name else ""
            f.write('node = { %sid = "%s"; };\n%s\n' % (name, self.id, extra))
            if self.lan.family and "network" not in extra:
                f.write('network = { family = "%s"; };\n' % self.lan.family)

    def command(self, *more, wrapper=()):
        return ["nsenter", "--net=/run/netns/" + self.name, *wrapper, self.program, "--config",
                self.config, "--state-dir", self.state_dir, "--runtime-dir", self.runtime_dir,
                *more]

    def start(self, *more, wrapper=(), log_mode="a"):
        assert self.process is None
        self.starts.append(now())
        with open(os.path.join(self.dir, "log"), log_mode) as log:
            self.process = subprocess.Popen(self.command(*more, wrapper=wrapper),
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.lan.wanted(self)

    def end(self, sig):
        """Sends a signal and waits for the end; returns the time of the signal."""
        at = now()
        self.process.send_signal(sig)
        self.lan.gone(self)
        self.process.wait(PATIENCE)
        self.process = None
        return at

    def kill(self):
        return self.end(signal.SIGKILL)

    def stop(self):
        return self.end(signal.SIGTERM)

    def copies(self):
        """Returns the processes of its electd that would report its crash (will.md)."""
        return [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc")))
                if running(pid) == ("electd-will", self.process.pid)]

    def connect(self):
        """Returns a file of its events from now on; None if there is none yet."""
        stream = socket.socket(socket.AF_UNIX)
        try:
            stream.connect(self.socket_path)
            stream.sendall(b'{"method":"io.electd.Subscribe","parameters":{},"more":true}\0')
        except OSError:
            stream.close()
            return None
        stream.setblocking(False)
        return stream

    def event_of(self, piece):
        """Parses one piece of the stream; None: no event."""
        return json.loads(piece)["parameters"]

    def log(self):
        with open(os.path.join(self.dir, "log")) as f:
            return f.read()

    def ask(self, method, timeout=PATIENCE, **parameters):
        """One Varlink call: (the error's name or None, its parameters or those of the reply)"""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(timeout)
            s.connect(self.socket_path)
            s.sendall(json.dumps({"method": method, "parameters": parameters}).encode() + b"\0")
            return reply(s)

    def call(self, method, timeout=PATIENCE, **parameters):
        """Returns the parameters of the reply; an error is a failure."""
        error, answer = self.ask(method, timeout, **parameters)
        if error:
            raise Failed("%s: %s %s" % (method, error, answer))
        return answer

    def resign(self, seconds=1, timeout=PATIENCE):
        """Makes the host resign for that time. Returns the time of the request."""
        at = now()
        self.call("io.electd.Resign", timeout, **{"for": seconds})
        return at

    def electctl(self, *words):
        return run(ELECTCTL, "--socket", self.socket_path, *words, check=False)

    def counts(self, name):
        """Returns {label: value} of a counter that has one label besides the domain."""
        text = self.call("io.electd.GetMetrics")["text"]
        return {label: int(value) for label, value in
                re.findall(r'^%s\{.*,[a-z]+="([^"]*)"\} (\d+)$' % name, text, re.M)}

    def dropped(self):
        return self.counts("electd_packets_dropped_total")

    def let_in(self, *drops):
        """Replaces the rules of nft(8) for incoming packets."""
        text = "add table inet test\ndelete table inet test\n"
        if drops:
            text += "table inet test {\n chain in {\n  type filter hook input priority 0;\n  %s\n" \
                " }\n}\n" % "\n  ".join(drops)
        self.rules(text)

    def mac(self):
        text = run("ip", "-n", self.name, "-o", "link", "show", "dev", self.interface).stdout
        return bytes.fromhex(re.search(r"link/ether ([0-9a-f:]+)", text)[1].replace(":", ""))

    def unicast_port(self):
        """The UDP port for datagrams to this host only."""
        lines = run("nsenter", "--net=/run/netns/" + self.name, "ss", "-Hulnp").stdout.splitlines()
        return next(int(line.split()[3].rsplit(":", 1)[1]) for line in lines
                    if "pid=%d," % self.process.pid in line and ":7543 " not in line)

    def group(self):
        group = self.view and self.view["group"]
        return group["id"] if group else None

    def token(self):
        return int(self.view["token"]) if self.view else 0


class Lan:
    """Bridges, hosts, and all events of their subscriptions, in the order of their arrival.

    Hosts have an IPv4 address and a link-local IPv6 address, as on most LANs. `family`: they use
    only that one, for tests that look at single frames."""

    def __init__(self, count, config="", kind=Host, family=None):
        self.family = family
        self.dir = tempfile.mkdtemp(prefix="electd-lan.", dir="/run")
        # Only keys of the test, not those of the machine.
        os.environ["CREDENTIALS_DIRECTORY"] = self.dir
        self.bridges = []
        self.events = []      # (time, host, event)
        self.condition = threading.Condition()
        self.waiting = {}     # host: not connected yet
        self.closing = False
        self.bridge(0)
        self.hosts = [kind(self, n + 1, config) for n in range(count)]
        self.wake_read, self.wake_write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind:
            self.print_logs()
        for host in self.hosts:
            if host.process:
                host.kill()
        if "ELECTD_LOGS" in os.environ:
            for host in self.hosts:
                if os.path.exists(host.dir + "/log"):
                    shutil.copy(host.dir + "/log", os.path.join(
                        os.environ["ELECTD_LOGS"], os.path.basename(self.dir) + "." + host.name))
        self.closing = True
        os.write(self.wake_write, b"x")
        self.thread.join()
        for host in self.hosts:
            for port in host.port, *host.more_ports:
                run("ip", "link", "del", port, check=False)
            run("ip", "netns", "del", host.name, check=False)
        for name in self.bridges:
            run("ip", "link", "del", name, check=False)

    def take_events(self):
        """Returns all events so far and forgets them, for programs that run for long."""
        with self.condition:
            events, self.events = self.events, []
            return events

    def print_logs(self):
        for host in self.hosts:
            lines = host.log().splitlines() if os.path.exists(host.dir + "/log") else []
            print("--- %s: %s" % (host.name, host.view and {
                k: host.view.get(k) for k in ("role", "state", "group", "token", "reason")}))
            for line in lines[-6:]:
                print("    " + line)

    def bridge(self, number):
        while len(self.bridges) <= number:
            name = "lan%d" % len(self.bridges)
            run("ip", "link", "add", name, "type", "bridge", "mcast_snooping", "0",
                "forward_delay", "0")
            run("ip", "link", "set", name, "up")
            self.bridges.append(name)
        return self.bridges[number]

    def split(self, *parts):
        """Puts each part, a list of hosts, on a bridge of its own, and returns the time. One
        process moves all ports: one per port could take longer than the timeouts of the hosts that
        were moved first."""
        moves = ["link set %s master %s\n" % (host.port, self.bridge(number))
                 for number, part in enumerate(parts) for host in part]
        subprocess.run(["ip", "-batch", "-"], input="".join(moves), text=True, check=True)
        return now()

    def heal(self):
        return self.split(self.hosts)

    def start(self):
        for host in self.hosts:
            host.start()

    def restart(self):
        for host in self.running():
            host.kill()
        self.start()
        self.settle()

    # ---- events ----

    def wanted(self, host):
        with self.condition:
            host.view = None
            if host.reports:
                self.waiting[host] = True
        os.write(self.wake_write, b"x")

    def gone(self, host):
        with self.condition:
            host.view = None
            self.waiting.pop(host, None)

    def _take(self, stream, host, process, rest):
        """Reads events of a host. Returns the beginning of an incomplete event; None at the end of
        the stream or of the process behind it. An event of a process that was killed is not the
        view of its successor."""
        try:
            data = os.read(stream.fileno(), 1 << 20)
        except BlockingIOError:
            return rest
        except OSError:
            return None
        at = now()
        pieces = (rest + data).split(host.separator)
        rest = pieces.pop()
        with self.condition:
            for piece in pieces:
                event = host.event_of(piece)
                if event is None:
                    continue
                if host.process is process:
                    host.view = event["status"]
                self.events.append((at, host, event))
            self.condition.notify_all()
        return rest if data and host.process is process else None

    def _read(self):
        # stream: (host, the process behind it, the beginning of the next event). A host that was
        # restarted may have two for a moment.
        streams = {}
        while not self.closing:
            for host in list(self.waiting):
                stream = host.connect()
                if stream:
                    self.waiting.pop(host, None)
                    streams[stream] = host, host.process, b""
            ready, _, _ = select.select([self.wake_read, *streams], [], [],
                                        0.002 if self.waiting else None)
            for stream in ready:
                if stream == self.wake_read:
                    os.read(self.wake_read, 4096)
                    continue
                host, process, rest = streams.pop(stream)
                rest = self._take(stream, host, process, rest)
                if rest is None:
                    stream.close()
                else:
                    streams[stream] = host, process, rest
        for stream in streams:
            stream.close()

    # ---- waiting and judging ----

    def running(self):
        return [h for h in self.hosts if h.process]

    def wait(self, what, condition, timeout=PATIENCE):
        """Waits until condition() is true, and returns the time when it became true."""
        end = now() + timeout
        with self.condition:
            while not condition():
                left = end - now()
                if left <= 0 or not self.condition.wait(left):
                    if condition():
                        break
                    raise Failed("not within %.1f s: %s" % (timeout, what))
            return self.events[-1][0] if self.events else now()

    def agreed(self, hosts=None, leader=True):
        hosts = self.running() if hosts is None else hosts
        return agree({h: h.view for h in hosts}, leader)

    def one_group(self, hosts=None):
        """Like agreed(), but a dead member may stay on the membership lists for a while."""
        hosts = self.running() if hosts is None else hosts
        if not all(h.view and h.view["state"] == "normal" and h.view["group"] for h in hosts):
            return False
        return len({h.group() for h in hosts}) == 1

    def led(self, hosts=None):
        hosts = self.running() if hosts is None else hosts
        return (self.one_group(hosts) and sum(h.view["role"] == "leader" for h in hosts) == 1 and
                len({h.view["leader"]["id"] for h in hosts if h.view["leader"]}) == 1 and
                all(h.view["leader"] for h in hosts))

    def leader(self):
        leaders = [h for h in self.running() if h.view and h.view["role"] == "leader"]
        if len(leaders) != 1:
            raise Failed("%d leaders: %s" % (len(leaders), [h.name for h in leaders]))
        return leaders[0]

    def leader_and_others(self):
        self.settle()
        leader = self.leader()
        return leader, [host for host in self.hosts if host is not leader]

    def settle(self):
        """Waits until all are in one group with one leader, and no older change is under way."""
        return self.wait("all hosts in one group with one leader", self.agreed)

    def use_ipv6(self):
        """Waits until all running hosts use IPv6, after duplicate address detection."""
        end = now() + PATIENCE
        while not all(" address fe80:" in host.log() for host in self.running()):
            if now() > end:
                raise Failed("not all use IPv6 within %.0f s" % PATIENCE)
            time.sleep(0.05)

    def mark(self):
        with self.condition:
            return len(self.events)

    def since(self, mark):
        with self.condition:
            return self.events[mark:]

    def differences(self, mark):
        """Returns (host, {field of the status: its new value}) for each change since then."""
        last, found = {}, []
        with self.condition:
            for number, (_, host, event) in enumerate(self.events):
                before, status = last.get(host, {}), event["status"]
                last[host] = status
                if number >= mark:
                    found.append((host, {key: value for key, value in status.items()
                                         if key not in PASSING and value != before.get(key)}))
        return found

    def groups_since(self, mark):
        """Returns the ids of the groups in which any host was Normal since then, in order."""
        seen = []
        for _, _, event in self.since(mark):
            group = event["status"]["group"]
            if event["status"]["state"] == "normal" and group and group["id"] not in seen:
                seen.append(group["id"])
        return seen

    def leaders_since(self, mark):
        """Returns (host, token) of every host that led since then, in order."""
        seen = []
        for _, host, event in self.since(mark):
            if event["status"]["role"] == "leader":
                pair = (host.name, event["status"]["token"])
                if pair not in seen:
                    seen.append(pair)
        return seen


def agree(views, leader=True):
    """Whether, by {host: status}, all are Normal in one group of exactly these hosts, with one
    leader (unless `leader` is false)."""
    ids = sorted(h.id for h in views)
    for v in views.values():
        if not v or v["state"] != "normal" or not v["group"]:
            return False
        if sorted(m["id"] for m in v["members"]) != ids:
            return False
        if leader and not v["leader"]:
            return False
    if len({v["group"]["id"] for v in views.values()}) != 1:
        return False
    return not leader or sum(v["role"] == "leader" for v in views.values()) == 1


def describe(item):
    at, host, event = item
    group = event["status"]["group"]
    return "%.3f %s %s %s %s %s" % (at, host.name, event["event"], event["status"]["state"],
                                    group and group["id"], event.get("reason"))


def setup():
    """Call first in a program: puts it into namespaces of its own, with an empty /run.

    Everything in them is gone when the program ends, for whatever reason. Exits with 77, "skipped",
    if the system does not allow namespaces."""
    for program in (ELECTD, ELECTCTL):
        if not os.access(program, os.X_OK):
            sys.exit("%s is not there: build it, and name the folder in BUILDDIR" % program)
    if os.environ.get("ELECTD_LAN") != "inside":
        inside = ["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
        for more in ([], ["--user", "--map-root-user"]):
            if not subprocess.run([*inside, *more, "true"], check=False,
                                  stderr=subprocess.DEVNULL).returncode:
                os.environ["ELECTD_LAN"] = "inside"
                os.execvp("unshare", [*inside, *more, sys.executable, *sys.argv])
        print("no network namespaces may be made here")
        sys.exit(77)
    # The first process of a PID namespace ignores signals that it does not handle.
    signal.signal(signal.SIGTERM, lambda number, _: os._exit(128 + number))
    run("mount", "-t", "tmpfs", "-o", "mode=755", "electd-lan", "/run")
    os.mkdir("/run/netns")
    run("ip", "link", "set", "lo", "up")
    # As systemd sets it: the test's service manager may read late.
    with open("/proc/sys/net/unix/max_dgram_qlen", "w") as f:
        f.write("512")
    if run("ip", "link", "add", "probe", "type", "bridge", check=False).returncode:
        print("no bridges may be made here")
        sys.exit(77)
    run("ip", "link", "del", "probe")
