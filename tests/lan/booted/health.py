#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A host whose service is sick does not lead (electd-health(7)), on three booted hosts.

health.py [RUNS [cost]]: a service on every host, watched by electd-probe@, is killed on the leader
RUNS times (default 3), and one that reports itself by a drop-in as often: the demotion begins in time,
counted from the kill, and ends before the next leader's promotion. Then 1000 flaps; probers that are
killed, stopped, hang or leave processes behind; hosts that are all sick; what runs on the leader only.
`cost`: what ten probes at 2 s use, and electd where all its places are taken.
"""
from concurrent.futures import ThreadPoolExecutor
import os
import signal
import sys
import time

import hosts
from hosts import APP, Failed, now, until
import report
import story

EVERY, FALL = 0.2, 3
SLACK = 0.300
SILENT = 0.100
MANY = 10               # runs of which none may take longer; of fewer one may, on a busy machine
STALE = 3 * EVERY + 1
BAR = 30
FLAPS = 1000
# Reported on every host, always.
ALWAYS = {"watched", "itself"}

SERVICE = """[Service]
ExecStart=sh -c 'echo $$$$ >/run/%p; exec sleep infinity'
"""
ITSELF = """[Service]
ExecStartPost=-+electctl well itself --timeout 1
ExecStopPost=-+electctl sick itself --timeout 1 "stopped: ${SERVICE_RESULT}"
"""
PACE = """[Service]
ExecStart=
ExecStart=electctl probe %%i --every %g %s -- /etc/electd/probes.d/%%i
"""
WATCHED = """#!/bin/sh
read -r pid </run/watched && [ -d /proc/$pid ] || { echo "it is gone"; exit 1; }
"""
# How it goes is in a file.
CALLED = """#!/bin/sh
. /etc/electd/odd
"""


def check(condition, words, *values):
    if not condition:
        raise Failed(words % values if values else words)


def row_of(host, name):
    """What is known of it, or None."""
    answer = host.ask("GetHealth") or {"reports": []}
    return next((row for row in answer["reports"] if row["name"] == name), None)


def state_of(host, name):
    """(health, words), or None."""
    row = row_of(host, name)
    return row and (row["health"], row["words"])


def is_well(host, *names):
    return all((state_of(host, name) or ("",))[0] == "well" for name in names)


def say(host, name, well, **more):
    check(host.ask("Report", name=name, well=well, **more) == {}, "%s refuses", host.name)


def prepare(net):
    for host in net.hosts:
        host.write("/etc/systemd/system/watched.service", SERVICE)
        host.write("/etc/systemd/system/itself.service", SERVICE)
        host.write("/etc/systemd/system/itself.service.d/health.conf", ITSELF)
        host.write("/etc/electd/probes.d/watched", WATCHED, 0o755)
        host.write("/etc/electd/probes.d/odd", CALLED, 0o755)
        host.write("/etc/electd/odd", "exit 0\n")
        host.write("/etc/electd/probes.d/usual", "#!/bin/true\n", 0o755)
        for name in "watched", "odd":
            host.write("/etc/systemd/system/electd-probe@%s.service.d/pace.conf" % name,
                       PACE % (EVERY, "--fall %d" % FALL))


def begin(net):
    for host in net.hosts:
        host.systemctl("start", "watched", "itself")
        host.systemctl("-q", "enable", "--now", "electd-probe@watched", "electd-report@itself")
    forget(net)


def names_of(host):
    return {row["name"] for row in host.ask("GetHealth")["reports"]}


def remembers(host):
    """A bar, or names of another test."""
    return host.ask()["node"]["barred_ms"] or names_of(host) > ALWAYS


def forget(net):
    """Nothing is left of what was before: the leader, and all are well."""
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda host: host.systemctl("restart", "electd"),
                      filter(remembers, net.hosts)))
    for host in net.hosts:
        until("%s is well" % host.name, lambda h=host: h.ask() and is_well(h, *ALWAYS))
    return net.settle()


# ---- a service ends ------------------------------------------------------------------------------

def hands_over(told, old, at):
    """Its demotion and then another's promotion: how long after `at` the first began."""
    net = told.lan
    until("another one leads", lambda: net.leader() not in (None, old))
    new = net.settle()
    promoted = told.first(at, new, "hook", "begin", event="leader")
    ours = [e for e in told.entries([old], at) if e.event in story.DEMOTIONS]
    check(ours and ours[0].words[1] == "begin", "%s was not demoted", old.name)
    check(ours[0].told["reason"] == "sick", "the reason is %s", ours[0].told["reason"])
    check(ours[1].at < promoted.at, "%s is promoted before", new.name)
    return ours[0].at - at


def killed(told, runs, unit, limit):
    took = []
    for _ in range(runs):
        old = forget(told.lan)
        took.append(hands_over(told, old, old.kill(unit)))
        old.systemctl("start", unit)
    return report.within(took, limit, 0 if runs >= MANY else 1)


# ---- flaps ---------------------------------------------------------------------------------------

def led(told, since):
    """The hosts that have begun to lead."""
    return [e.host for e in told.entries(since=since)
            if e.words[:2] == ["hook", "begin"] and e.event == "leader"]


def flaps(told, **counted):
    """At most one hand-over in a bar time; how many there were."""
    leader = forget(told.lan)
    say(leader, "flaps", True, **counted)
    since = now()
    for number in range(FLAPS):
        say(leader, "flaps", bool(number % 2), **counted)
    check(now() - since < BAR, "it took too long")
    told.lan.settle()
    return len(led(told, since))


def flaps_cost_one(told):
    costs = flaps(told)
    check(costs == 1, "%d", costs)


def flaps_inside_cost_none(told):
    costs = flaps(told, fall=3, rise=2)
    check(costs == 0, "%d", costs)


# ---- probers that go wrong -----------------------------------------------------------------------

def processes(host, unit):
    path = "%s/payload/system.slice/system-%s.slice/%s.service/cgroup.procs" % (
        host.group, unit.split("@")[0].replace("-", "\\x2d"), unit)
    with open(path) as f:
        return len(f.readlines())


def has_reported(host, name, since):
    row = row_of(host, name)
    return row and now() - row["heard_ms"] / 1000 > since + 0.02


def prober_killed(told):
    """systemd starts it again, and nobody notices: as it is shipped, every 2 s."""
    leader = forget(told.lan)
    leader.systemctl("start", "electd-probe@usual")
    until("it is well", lambda: is_well(leader, "usual"))
    since, took = now(), []
    for _ in range(3):
        at = leader.kill("electd-probe@usual")
        until("the next one reports", lambda t=at: has_reported(leader, "usual", t))
        took.append(now() - at)
    leader.systemctl("stop", "electd-probe@usual")
    leader.electctl("forget", "usual")
    check(not led(told, since), "it cost the lead")
    return "reports again after %.1f s at most, 7 are silence" % max(took)


def prober_stopped(told):
    leader = forget(told.lan)
    at = leader.kill("electd-probe@watched", signal.SIGSTOP)
    took = hands_over(told, leader, at)
    words = state_of(leader, "watched")[1]
    leader.kill("electd-probe@watched", signal.SIGCONT)
    check(words == "silent for 1600 ms", "told: %s", words)
    check(took < STALE + SLACK, "after %.2f s", took)
    until("it is well", lambda: is_well(leader, "watched"))
    return "handed over after %.0f ms" % (1000 * took)


def odd(host, script, words, kind="sick"):
    """That script, until that is told of it."""
    host.write("/etc/electd/odd", script)
    until("%s: %s, not %s" % (script, words, state_of(host, "odd")),
          lambda: state_of(host, "odd") == (kind, words))


def odd_scripts(told):
    """Told as what they are, and nothing is left behind."""
    host = told.lan.others(told.lan.leader())[0]
    host.systemctl("start", "electd-probe@odd")
    odd(host, "echo fine\n", "fine", "well")
    odd(host, "trap '' TERM; while :; do sleep 1; done\n", "no answer within 1 s")
    odd(host, "echo fine\n", "fine", "well")
    odd(host, "sleep 100 & setsid sh -c 'sleep 100 & sleep 100' & echo forked\n", "forked", "well")
    odd(host, "printf 'a\\033[2Jb'; exit 1\n", "a?[2Jb")
    odd(host, "kill -9 $$\n", "killed by signal 9")
    odd(host, "sleep 100 & exit 7\n", "exit status 7")
    host.write("/etc/electd/odd", "exit 0\n")
    until("nothing is left behind", lambda: processes(host, "electd-probe@odd") == 1)
    host.systemctl("stop", "electd-probe@odd")
    until("silence is told", lambda: (state_of(host, "odd") or ("",))[0] == "sick")
    host.electctl("well", "odd")
    check(is_well(host, "odd"), "the last word is not ours")


# ---- all are sick --------------------------------------------------------------------------------

def nobody_well(told, word):
    """The file `odd` keeps the probe from being well everywhere."""
    net = told.lan
    for host in net.hosts:
        host.write("/etc/electd/electd.conf", 'health = { nobody_well = "%s"; };\n' % word)
        host.systemctl("reload", "electd")
    leader = forget(net)
    for host in [*net.others(leader), leader]:
        say(host, "shared", False, words="gone")
    return leader


def none_leads(told):
    net = told.lan
    nobody_well(told, "none")
    until("nobody leads", lambda: all(h.ask()["role"] == "none" for h in net.hosts))
    for host in net.hosts:
        shown = host.electctl("check", check=False)
        check(shown.returncode == 6 and "shared is sick: gone" in shown.stdout, shown.stdout)
    at = now()
    say(net.hosts[0], "shared", True)
    until("the first one that is well leads", net.hosts[0].leads)
    return "leads %.0f ms after it is well" % (1000 * (now() - at))


def the_leader_stays(told):
    net = told.lan
    leader = nobody_well(told, "stay")
    time.sleep(1)
    check(net.settle() is leader, "it does not lead any more")
    other = net.others(leader)[0]
    say(other, "shared", True)
    until("it gives way to the first one that is well", other.leads)


# ---- required ------------------------------------------------------------------------------------

def required(told):
    """Unknown does not lead; a restart of electd is over when its probe has reported."""
    net = told.lan
    for host in net.hosts:
        host.write("/etc/electd/electd.conf", 'health = { required = [ "watched" ]; };\n')
        host.systemctl("reload", "electd")
    leader = forget(net)
    other = net.others(leader)[0]
    other.systemctl("stop", "electd-probe@watched")
    other.systemctl("restart", "electd")
    until("it is unknown", lambda: state_of(other, "watched") == ("unknown", ""))
    for host in net.hosts:
        if host is not other:
            host.systemctl("stop", "electd")
    time.sleep(2)
    check(not other.leads(), "unknown leads")
    other.systemctl("start", "electd-probe@watched")
    until("it leads", other.leads)
    at = now()
    other.systemctl("restart", "electd")
    until("it is told again", lambda: is_well(other, "watched"))
    took = now() - at
    for host in net.hosts:
        host.write("/etc/electd/electd.conf", "")
        host.systemctl("start", "electd")
        host.systemctl("reload", "electd")
    return "known again %.1f s after a restart began" % took


# ---- what runs on the leader only ----------------------------------------------------------------

def refused(told):
    """Of a unit that is bound to the target, without --leader."""
    for words in (("sick", "app"), ("well", "app"), ("probe", "app", "--", "true"),
                  ("probe", "x", "--", "systemctl", "is-active", "-q", APP)):
        done = told.lan.hosts[0].electctl(*words, check=False)
        check(done.returncode == 2 and "--leader" in done.stderr, "%s: %s", words, done.stderr)


def judge_app(net):
    """On the leader only. Where /etc/sound is not, it runs for a second and fails."""
    for host in net.hosts:
        host.write("/etc/systemd/system/electd-probe@app.service.d/app.conf",
                   PACE % (EVERY, "--leader --fall %d" % FALL))
        host.write("/etc/electd/probes.d/app", WATCHED.replace("watched", "app"), 0o755)
        host.write("/etc/systemd/system/%s.d/pid.conf" % APP,
                   "[Service]\nExecStart=\nExecStart=sh -c 'echo $$$$ >/run/app; "
                   "[ -e /etc/sound ] || { sleep 1; exit 1; }; exec sleep infinity'\n")
        host.write("/etc/sound", "")
        host.systemctl("daemon-reload")
        host.systemctl("restart", "electd-probe@app")


def hands_over_cleanly(told):
    """Nothing is sick then, and others are not judged."""
    net = told.lan
    judge_app(net)
    first = forget(net)
    first.electctl("resign", "--for", "1")      # what ran before was another one
    second = net.settle()
    until("it is judged on the leader", lambda: is_well(second, "app"))
    check(not any(state_of(h, "app") for h in net.others(second)), "others judge it, too")
    second.electctl("resign", "--for", "1")
    third = net.settle()
    until("it is judged on the next one", lambda: is_well(third, "app"))
    check(not any(state_of(h, "app") for h in net.others(third)), "a role that is over is judged")


def promoted_anew(host, strike):
    """It stops the unit and starts it again, and its host leads on."""
    until("it is judged", lambda: is_well(host, "app"))
    old, token = host.main_pid(APP), host.ask()["token"]
    strike()
    until("it runs again", lambda: host.main_pid(APP) not in (None, old))
    until("it is judged again", lambda: is_well(host, "app"))
    check(host.ask()["token"] == token, "it has cost the lead")


def hookd_anew(told):
    """Restarted, no probe sees it; killed, not even the unit's own word of its end counts."""
    leader = forget(told.lan)
    promoted_anew(leader, lambda: leader.systemctl("restart", "electd-hookd"))
    drop_in = "/etc/systemd/system/%s.d/end.conf" % APP
    leader.write(drop_in, "[Service]\nExecStopPost=-+electctl sick app --leader --timeout 1 ended\n")
    leader.systemctl("daemon-reload")
    promoted_anew(leader, lambda: leader.kill("electd-hookd"))
    leader.run("rm", drop_in)
    leader.systemctl("daemon-reload")


def shows_it(host, of):
    """It does not lead, and `check` says why, of all."""
    done = host.electctl("check", check=False)
    return host.ask()["role"] == "none" and done.returncode == 6 and all(
        "%s may not lead: barred (app): it is gone" % h.name in done.stdout for h in of)


def goes_round(told):
    """Each hands over once, nobody is barred for ever."""
    net = told.lan
    first = forget(net)
    until("it is judged", lambda: is_well(first, "app"))
    for host in net.hosts:
        host.run("rm", "/etc/sound")
    since = first.kill(APP)
    until("two more have led", lambda: len(led(told, since)) >= 2, 30)
    until("nobody leads, and each says so", lambda: all(
        shows_it(h, net.hosts) for h in net.hosts), 30)
    check({first, *led(told, since)} == {*net.hosts} and len(led(told, since)) == 2, "not in turn")
    for host in net.hosts:
        barred = host.ask()["node"]["barred_ms"] or 0
        check(0 < barred <= BAR * 1000, "%s is barred for %s ms", host.name, barred)
        host.write("/etc/sound", "")
    net.settle(timeout=BAR + hosts.PATIENCE)
    return "led again %.0f s after the first failed" % (now() - since)


# ---- the price -----------------------------------------------------------------------------------

PROBES = 10
SECONDS = 30
PLACES = 16


def busy():
    """Seconds of all processors of this machine, by whomever."""
    with open("/proc/stat") as f:
        fields = [int(n) for n in f.readline().split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def cost(told):
    """Of a core, without what they run and with it; the memory of each prober, and of electd."""
    host = told.lan.others(forget(told.lan))[0]
    names = ["n%d" % n for n in range(PROBES)]
    host.systemctl("stop", "electd-probe@watched")
    host.electctl("well", "watched")
    for name in names:
        host.run("ln", "-sf", "/bin/true", "/etc/electd/probes.d/" + name)
    host.systemctl("start", *("electd-probe@" + name for name in names))
    until("all report", lambda: is_well(host, *names))
    for n in range(PLACES - len(names_of(host))):
        say(host, "more%d" % n, True, words="w" * 200)
    probers = [host.main_pid("electd-probe@" + name) for name in names]
    electd = host.main_pid("electd")

    def used():
        alone = report.cpu_seconds(electd)
        return (alone + sum(map(report.cpu_seconds, probers)),
                alone + host.used("system-electd\\x2dprobe.slice"), busy())
    before = used()
    time.sleep(SECONDS)
    own, whole, others = (100 * (a - b) / SECONDS for a, b in zip(used(), before))
    others /= os.cpu_count()
    each = max(report.memory_kib(pid)[1] for pid in probers)
    resident, _ = report.memory_kib(electd)
    for name in names:
        host.systemctl("stop", "electd-probe@" + name)
        host.electctl("well", name)
    words = "%.2f %% of a core, %.2f with /bin/true, on a machine that is busy for %.0f %%; " \
        "%d KiB each; electd with %d names: %d KiB" % (own, whole, others, each, PLACES, resident)
    # Whoever has a neighbour on its core takes up to twice as long.
    slack = 1 + others / 100
    check(own <= 0.3 * slack and whole <= 0.6 * slack and each <= 1536 and resident <= 6144,
          "%s", words)
    return words


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    result = report.Report()
    hosts.setup()
    with hosts.Lan() as net:
        told = story.Story(net)
        prepare(net)
        told.start()
        begin(net)
        result.attempt("a watched service is killed", killed, told, runs, "watched",
                       FALL * EVERY + SLACK)
        result.attempt("one that reports itself", killed, told, runs, "itself", SILENT)
        result.attempt("%d flaps cost one hand-over" % FLAPS, flaps_cost_one, told)
        result.attempt("and none where they are counted", flaps_inside_cost_none, told)
        result.attempt("a prober is killed", prober_killed, told)
        result.attempt("a prober stands still", prober_stopped, told)
        result.attempt("scripts that hang, fork, die", odd_scripts, told)
        result.attempt("all are sick: nobody leads", none_leads, told)
        result.attempt("all are sick: the leader stays", the_leader_stays, told)
        result.attempt("what is required", required, told)
        result.attempt("what runs on the leader only is refused", refused, told)
        result.attempt("and judged there", hands_over_cleanly, told)
        result.attempt("electd-hookd anew", hookd_anew, told)
        result.attempt("on each in turn", goes_round, told)
        if sys.argv[2:] == ["cost"]:
            result.attempt("ten probes", cost, told)
        result.attempt("all journals", told.judge)
    result.exit()


if __name__ == "__main__":
    main()
