#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A LAN of five electds and electd-hookds, built with sanitizers: order and safety, without a clock.

Each host has an identity drawn from ELECTD_SEED. All timings are five times the defaults, so that a
busy processor is not taken for a dead host. The program waits for events with the only timeout of
lan.py, and measures nothing. It asserts:

- all hosts agree on one leader after each change, with a higher token than every earlier leader;
- no host runs two scripts at once, and its `leader` scripts alternate with those that end the role;
- in an ordered hand-over (stop, resign, kill -9), no two hosts act as leader at once: a host acts
  from the begin of its `leader` scripts to the end of its next `follower`, `none` or `stop` scripts;
- a host never coordinates two groups with one counter, even if its process was restarted;
- no datagram that is not authentic, or is of another election algorithm, changes a role or a group;
- each daemon ends with the right exit status, and no sanitizer reports.
"""
import os
import signal
import time

import frames
import hooked
import identity
import insider
import lan
import report
from hooked import DEMOTIONS, SECOND
from report import Failed

HOSTS = 5
BEACON = 5 * lan.BEACON
CONFIG = "timing = { beacon_interval_ms = %d; dead_after_ms = %d; silence_ms = %d; };" % (
    1000 * BEACON, 1000 * 5 * lan.DEAD_AFTER, 1000 * BEACON)
DEMOTION_MS = 300       # of a demotion's scripts; an action that does not wait is noticed
BARRED = 30             # seconds for which a host that resigned does not lead
GARBAGE = 2000          # datagrams
AT_ONCE = 50            # before the hosts must answer
PER_SECOND = 10         # datagrams of another algorithm
DEGRADED = 6            # status of `electctl check`
BLOCKED = {signal.SIGTERM, signal.SIGHUP}
REPORTS = "/run/sanitizers"

SANITIZERS = {"UBSAN_OPTIONS": "log_path=%s/report:print_stacktrace=1" % REPORTS,
              "ASAN_OPTIONS": "log_path=%s/report:detect_leaks=1" % REPORTS}


class Host(lan.Host):
    """A host with a drawn identity, which checks the exit status of its electd."""

    def identify(self):
        drawn = self.lan.identities
        self.id = drawn.ids[self.number - 1]
        self.node_name = drawn.names[self.number - 1]
        self.interface = drawn.interfaces[self.number - 1]

    def start(self, *more, **how):
        """Blocks the signals that end electd before, as careless parent processes do."""
        signal.pthread_sigmask(signal.SIG_BLOCK, BLOCKED)
        try:
            super().start(*more, **how)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, BLOCKED)

    def end(self, sig):
        process = self.process
        at = super().end(sig)
        if not self.lan.closed:
            ended("electd of " + self.name, process.returncode, sig)
        return at


class Lan(lan.Lan):
    """Hosts that start in a drawn order, up to a beacon apart."""

    def __init__(self, count, config):
        self.identities = identity.Identities("hosts", count)
        self.starts = identity.chance("starts")
        self.closed = False     # True: the hosts that still run are only removed
        super().__init__(count, config, kind=Host)

    def __exit__(self, *error):
        self.closed = True
        super().__exit__(*error)

    def start(self):
        for host in self.starts.sample(self.hosts, len(self.hosts)):
            host.start()
            time.sleep(self.starts.uniform(0, BEACON))


def ended(what, status, sig):
    """A daemon that was asked to end must exit with 0; one that was killed, by that signal."""
    expected = 0 if sig == signal.SIGTERM else -sig
    if status != expected:
        raise Failed("%s ended with status %d after signal %d, and not with %d" % (
            what, status, sig, expected))


# ---- properties ----------------------------------------------------------------------------------


def acting(one):
    """[begin, end] of each time in which a host's scripts acted as leader; end None: still"""
    times = []
    for run in one.runs():
        if run.event == "leader":
            if not times or times[-1][1]:
                times.append([run.begin, None])
        elif run.event in DEMOTIONS and run.name == SECOND and run.end and times:
            times[-1][1] = times[-1][1] or run.end
    return times


def never_two(world, since):
    times = sorted((begin, end or float("inf"), host.name)
                   for host, one in world.hooked.items() for begin, end in acting(one)
                   if not end or end > since)
    for (_, end, name), (begin, _, other) in zip(times, times[1:]):
        if begin < end:
            raise Failed("%s acted as leader from %.3f on, %s still did, until %.3f" % (
                other, begin, name, end))


class Judge:
    """The state of the LAN so far: the highest token, and the groups of each host."""

    def __init__(self, world):
        self.world, self.token = world, 0

    def leader_is_newer(self):
        """All scripts know the one leader, whose token is higher than all before."""
        self.world.wait_roles()
        token = self.world.net.leader().token()
        if token <= self.token:
            raise Failed("token %d comes after %d" % (token, self.token))
        self.token = max([token] + [host.token() for host in self.world.net.running()])

    def same_leader(self, leader):
        self.world.wait_roles()
        if self.world.net.leader() is not leader:
            raise Failed("%s leads and not %s" % (self.world.net.leader().name, leader.name))

    def history(self):
        """Checks the order of all scripts, and the groups of each host, since the beginning."""
        hooked.judge(self.world.hooked, split=True)
        last = {}
        for _, host, event in self.world.net.since(0):
            group = event["status"]["group"]
            if not group or group["coordinator"] != host.id:
                continue
            number = int(group["counter"])
            start = event["status"]["node"]["incarnation"]
            before = last.setdefault(host, (0, None))
            if number < before[0] or number == before[0] and start != before[1]:
                raise Failed("%s coordinates group %d after group %d" % (
                    host.name, number, before[0]))
            last[host] = number, start
        if len(last) < 2:
            raise Failed("no two hosts have coordinated: nothing was judged")


def lives(world):
    for host, one in world.hooked.items():
        for what, process in ("electd", host.process), ("electd-hookd", one.process):
            if process and process.poll() is not None:
                raise Failed("%s of %s ended with status %d" % (what, host.name,
                                                                process.returncode))


def standing(world):
    """The part of a status that no datagram from outside may change."""
    return {host.name: (host.view["role"], host.group(), host.view["token"])
            for host in world.net.hosts}


def beacons(world, count):
    """Waits until each member has accepted that many more beacons of its coordinator."""
    members = [host for host in world.net.hosts if host.view["role"] != "leader"]
    heard = {host: received(host, "AYCoord") for host in members}
    for host in members:
        lan.until("%d beacons at %s" % (count, host.name), lambda host=host: received(
            host, "AYCoord") >= heard[host] + count)


def received(host, kind):
    return host.counts("electd_packets_received_total").get(kind, 0)


def unmoved(world, before, mark):
    """No host changed its role, group or token since the mark, and all hear the leader."""
    beacons(world, 3)
    lives(world)
    for item in world.net.since(mark):
        _, host, event = item
        status = event["status"]
        now = status["role"], status["group"] and status["group"]["id"], status["token"]
        if now != before[host.name]:
            raise Failed("changed: %s" % lan.describe(item))
    if standing(world) != before:
        raise Failed("%s and not %s" % (standing(world), before))


# ---- changes and attacks -------------------------------------------------------------------------


def cold_start(world, judge):
    judge.leader_is_newer()
    for host in world.net.hosts:
        one = world.hooked[host]
        for event in DEMOTIONS:
            one.do(event, DEMOTION_MS)
    never_two(world, 0)


def hand_over(world, judge, cause, again=None):
    """The leader gives its role up. If its electd has ended, it is started again, and follows."""
    old, at = world.net.leader(), lan.now()
    cause(old)
    world.net.wait("another host leads", lambda: world.net.led() and
                   world.net.leader() is not old)
    new = world.net.leader()
    world.hooked[new].wait_event("leader", at)
    if again:
        again(old)
    judge.leader_is_newer()
    judge.same_leader(new)
    never_two(world, at)
    return "%s, then %s" % (old.name, new.name)


def stopped(world, judge):
    return hand_over(world, judge, Host.stop, Host.start)


def resigned(world, judge):
    return hand_over(world, judge, lambda host: host.resign(BARRED))


def killed(world, judge):
    return hand_over(world, judge, Host.kill, Host.start)


def frozen(world, judge):
    """The leader's electd is stopped until another host leads, and then continues."""
    old = world.net.leader()
    others = [host for host in world.net.hosts if host is not old]
    at = lan.now()
    old.process.send_signal(signal.SIGSTOP)
    try:
        world.hooked[old].wait("its demotion", lambda run: run.begin > at and
                               run.event in DEMOTIONS and run.name == SECOND and run.end)
        world.net.wait("another host leads", lambda: world.net.led(others))
    finally:
        old.process.send_signal(signal.SIGCONT)
    judge.leader_is_newer()
    return "%s, then %s" % (old.name, world.net.leader().name)


def split(world, judge):
    """Each part has a leader of its own; after the merge one of the two leads all."""
    net = world.net
    old = net.leader()
    left = [old, next(host for host in net.hosts if host is not old)]
    right = [host for host in net.hosts if host not in left]
    net.split(left, right)
    net.wait("a leader in each part", lambda: net.agreed(left) and net.agreed(right))
    leaders = {host: host.token() for host in net.hosts if host.view["role"] == "leader"}
    if len(set(leaders.values())) != len(leaders):
        raise Failed("one token in both parts: %s" % leaders)
    net.heal()
    world.wait_roles()
    if net.leader() not in leaders:
        raise Failed("%s leads after the merge, and led neither part" % net.leader().name)
    judge.token = max(judge.token, net.leader().token(), *leaders.values())
    return "%s stays" % net.leader().name


def reloaded(world, judge):
    before, mark = standing(world), world.net.mark()
    for host in world.net.hosts:
        host.write_config(CONFIG + "\nhooks = { timeout_ms = 20000; };")
        done = host.electctl("reload")
        if done.returncode:
            raise Failed("%s: %s" % (host.name, done.stdout + done.stderr))
    unmoved(world, before, mark)


def mutated(rand, payload):
    """Changes a recorded datagram so that it is invalid."""
    kind = rand.randrange(5)
    if kind == 0:
        return rand.randbytes(rand.randrange(1400))
    if kind == 1:
        return payload[:5] + rand.randbytes(rand.randrange(1200))
    if kind == 2:
        return payload[:rand.randrange(len(payload))]
    if kind == 3:
        return payload + rand.randbytes(rand.randint(1, 1400 - len(payload)))
    changed = bytearray(payload)
    for bit in rand.sample(range(8 * len(payload)), rand.randint(1, 16)):
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def garbage(world, judge):
    """Sends random bytes and mutated recordings of all earlier datagrams to every host."""
    rand = identity.chance("garbage")
    recorded = [frame for _, _, _, frame in world.sniffer.drain()
                if frame[12:14] == frames.IPV4]
    if not recorded:
        raise Failed("nothing was recorded")
    injectors = [frames.Injector(host.port) for host in world.net.hosts]
    before, mark = standing(world), world.net.mark()
    counted = {host: sum(host.dropped().values()) for host in world.net.hosts}
    for number in range(GARBAGE):
        frame = rand.choice(recorded)
        rand.choice(injectors).send(frames.frame_with(frame, mutated(rand, frames.payload_of(frame))))
        if number % AT_ONCE == 0:
            for host in world.net.hosts:
                host.call("io.electd.GetStatus")
    unmoved(world, before, mark)
    idle = [host.name for host in world.net.hosts
            if sum(host.dropped().values()) <= counted[host]]
    if idle:
        raise Failed("%s have dropped nothing" % idle)
    return "%d datagrams made of %d" % (GARBAGE, len(recorded))


def judged(host, kind):
    """The sum of the counters that grow when a host judges datagrams of another algorithm: it drops
    an answer without a request, challenges the session of any other type, and drops the datagram.
    """
    dropped = host.dropped()
    if kind.endswith("_answer"):
        return (dropped.get("unasked", 0),)
    return dropped.get("type", 0), received(host, "Challenge_answer")


def reports_another(host):
    """Whether `electctl check` is DEGRADED by a host with another algorithm."""
    done = host.electctl("check")
    reported = "other-algorithm: " in done.stdout
    if reported and done.returncode != DEGRADED:
        raise Failed("%s: check ends with %d: %s" % (host.name, done.returncode, done.stdout))
    return reported


def all_report_another(world):
    return all(reports_another(host) for host in world.net.hosts)


def another_algorithm(world, judge):
    """A host that answers Challenges sends datagrams of each type of another algorithm: each host
    reports that host, and nothing else changes."""
    rand = identity.chance("another algorithm")
    guest = insider.Insider(world.net, key=False)
    before, mark = standing(world), world.net.mark()
    early = [host.name for host in world.net.hosts if reports_another(host)]
    if early:
        raise Failed("%s report another algorithm before a host runs one" % early)
    try:
        for kind in frames.BULLY:
            guest_id = identity.random_id(rand, world.net.identities.ids)
            earlier = {host: judged(host, kind) for host in world.net.hosts}
            process = guest.push(kind, "1", PER_SECOND, 2 * lan.PATIENCE,
                                 env={"INSIDER_ID": guest_id})
            try:
                lan.until("%s at all hosts" % kind, lambda: process.poll() is not None or all(
                    now > then for host in world.net.hosts
                    for now, then in zip(judged(host, kind), earlier[host])))
                lan.until("a report at all hosts", lambda: process.poll() is not None or
                          kind.endswith("_answer") or all_report_another(world))
                if process.poll() is not None:
                    raise Failed("the guest ended with status %d" % process.returncode)
            finally:
                process.kill()
                process.communicate()
            lives(world)
    finally:
        guest.close()
    unmoved(world, before, mark)
    return "%d types" % len(frames.BULLY)


def power_cut(world, judge):
    for host in world.net.hosts:
        host.kill()
    world.net.start()
    judge.leader_is_newer()


def ends(world, judge):
    """The order of all events since the beginning is right, and all daemons end with success."""
    lives(world)
    for host in world.net.hosts:
        host.stop()
    for host, one in world.hooked.items():
        ended("electd-hookd of " + host.name, one.end(), signal.SIGTERM)
    judge.history()


def no_report():
    reports = sorted(os.listdir(REPORTS))
    for name in reports:
        with open(os.path.join(REPORTS, name), errors="replace") as f:
            print("---- %s\n%s" % (name, "".join(f.readlines()[:60])))
    if reports:
        raise Failed("%d reports" % len(reports))


def sanitized():
    """Whether the programs are from a build with --enable-sanitizers."""
    for path in lan.ELECTD, hooked.HOOKD, lan.ELECTCTL:
        with open(path, "rb") as f:
            if b"__asan_init" not in f.read():
                raise Failed("%s was built without sanitizers" % path)


CASES = (cold_start, stopped, resigned, killed, frozen, split, reloaded, garbage, another_algorithm,
         power_cut, ends)


def main():
    result = report.Report()
    os.environ.update(SANITIZERS)
    lan.setup()
    hooked.setup()
    os.mkdir(REPORTS)
    os.chmod(REPORTS, 0o1777)
    print("ELECTD_SEED=%d" % identity.SEED)
    result.attempt("the build", sanitized)
    world = hooked.World(HOSTS, CONFIG, kind=Lan)
    for host in world.net.hosts:
        print("drawn: %s has id %s, name %s, interface %s" % (
            host.name, host.id, host.node_name, host.interface), flush=True)
    world.sniffer = frames.Sniffer(world.net)
    judge = Judge(world)
    with world:
        for case in CASES:
            result.attempt(case.__name__.replace("_", " "), case, world, judge)
            if result.failed:   # later cases would fail for the same cause
                result.attempt("all daemons run", lives, world)
                world.net.print_logs()
                break
    world.sniffer.close()
    result.attempt("no sanitizer reports", no_report)
    result.exit()


if __name__ == "__main__":
    main()
