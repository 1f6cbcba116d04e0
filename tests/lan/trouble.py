#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults of one process: its files, folders and standard files, a second process next to it, a stop
of a few seconds, and a firewall that drops long datagrams. Each must be reported with its cause,
and end with the documented exit status."""
import os
import re
import shutil
import signal
import socket
import subprocess

import lan
import report
from report import Failed

# The membership list of four hosts with one family is longer, and all other datagrams are shorter.
LIST_LENGTH = 320

# (text, words that the message must have); tests/unit/conf has all other cases.
CONFIGURATIONS = [
    ("prioritee = 3;", ["electd.conf:2", "prioritee", "priority"]),
    ("priority = ", ["syntax"]),
]


def ended(host, *words):
    """Starts an electd that must end at once. Returns (exit status, output)."""
    done = subprocess.run(host.command(*words), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=lan.PATIENCE, check=False)
    return done.returncode, done.stdout


def expect(host, status, words, *more):
    code, said = ended(host, *more)
    missing = [w for w in words if w not in said]
    if code != status or missing:
        raise Failed("exit %d, wanted %d; not said: %s; said: %s" % (code, status, missing, said))


def configurations(host):
    for text, words in CONFIGURATIONS:
        host.write_config(text)
        expect(host, 78, words)
        expect(host, 78, words, "--check-config")
    host.write_config('algorithm = "invitation";')
    expect(host, 0, ["algorithm is obsolete"], "--check-config")
    host.write_config('addresses = [ "198.51.100.9", "198.51.100.10 dev eth7" ];')
    expect(host, 0, ["no interface of this host has the subnet of 198.51.100.9; name one",
                     "is good"], "--check-config")
    host.write_config()
    os.rename(host.config, host.config + ".away")
    expect(host, 78, [host.config, "No such file"])
    os.rename(host.config + ".away", host.config)


def command_line(net, host):
    """The output of --print-config can be read again; a careless start by hand does no harm."""
    expect(host, 0, ["is good"], "--check-config")
    printed = subprocess.run(host.command("--print-config"), stdout=subprocess.PIPE, text=True,
                             check=True).stdout
    with open(host.dir + "/printed.conf", "w") as f:
        f.write(printed)
    expect(host, 0, ["is good"], "--config", host.dir + "/printed.conf", "--check-config")
    with open("/dev/full", "w") as full:
        code = subprocess.run(host.command("--print-config"), stdout=full, check=False).returncode
    if code != 71:
        raise Failed("exit %d though nothing could be printed" % code)
    # Without standard files, and with a umask that gives other users no access.
    host.start(wrapper=["sh", "-c", 'umask 077; exec "$@" <&- >&- 2>&-', "sh"])
    net.wait("it leads", lambda: host.view and host.view["role"] == "leader")
    mode = os.stat(host.runtime_dir).st_mode & 0o777
    target = os.readlink("/proc/%d/fd/2" % host.process.pid)
    host.stop()
    if mode != 0o755 or target != "/dev/null":
        raise Failed("the folder has mode %o, standard error is %s" % (mode, target))


def state_directory(net, host):
    """The file system is read-only or full; a damaged file does not stop electd."""
    folder = host.state_dir
    shutil.rmtree(folder, ignore_errors=True)  # an earlier start may have made it
    os.makedirs(folder)
    lan.run("mount", "-t", "tmpfs", "-o", "ro", "electd-lan", folder)
    expect(host, 74, [folder, "not writable"])
    lan.run("umount", folder)
    lan.run("mount", "-t", "tmpfs", "-o", "size=4k", "electd-lan", folder)
    with open(folder + "/filler", "wb") as f:
        f.write(bytes(4096))
    expect(host, 74, [folder, "No space left"])
    lan.run("umount", folder)
    counters = []
    for _ in range(2):
        host.start()
        net.wait("it leads", lambda: host.view and host.view["role"] == "leader")
        counters.append(int(host.view["group"]["counter"]))
        host.kill()
        with open(folder + "/state", "r+b") as f:
            f.write(os.urandom(4096))
    if counters[1] <= counters[0]:
        raise Failed("a group id came twice: %s" % counters)
    if not re.search(r"store: .*(slot|state)", host.log()):
        raise Failed("the damage was not reported: %s" % host.log())


def control_socket(host):
    """electd refuses a running daemon's socket, and names it; it replaces that of a dead one."""
    host.start()
    host.lan.wait("it answers", lambda: host.view)
    pid = host.process.pid
    expect(host, 71, [host.socket_path, "process %d" % pid], "--state-dir", host.dir + "/other")
    expect(host, 74, [host.state_dir, "process %d" % pid], "--runtime-dir", host.dir + "/other")
    if host.electctl("status").returncode:
        raise Failed("the living one was disturbed")
    host.kill()
    if not os.path.exists(host.socket_path):
        raise Failed("nothing is left of the killed one: nothing was tested")
    if host.electctl("status").returncode != 3:
        raise Failed("electctl does not say 3 without a daemon")
    host.start()
    host.lan.wait("it answers", lambda: host.view)
    host.stop()


def stalled(net):
    """A leader that is stopped for a while is not the leader when it wakes up. It answers a request
    that waits in its control socket only after it has noticed that it was stalled."""
    net.start()
    leader, rest = net.leader_and_others()
    token = leader.token()
    leader.process.send_signal(signal.SIGSTOP)
    net.wait("another leader", lambda: net.led(rest) and rest[0].token() > token)
    mark = net.mark()
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(lan.PATIENCE)
        stream.connect(leader.socket_path)
        stream.sendall(b'{"method":"io.electd.GetStatus"}\0')
        leader.process.send_signal(signal.SIGCONT)
        if lan.reply(stream)[1]["role"] == "leader":
            raise Failed("it answers that it leads")
    net.wait("one group again", net.agreed)
    first = next((e for _, h, e in net.since(mark) if h is leader), None)
    if not first or first["status"]["role"] == "leader" or first["reason"] != "stalled":
        raise Failed("it did not step down first: %s" % first)
    if any(h is leader for _, h, e in net.since(mark) if e["status"]["role"] == "leader"):
        raise Failed("it led again")


def list_dropped():
    """A firewall drops the membership list, the longest datagram, on its way to one host: the
    leader names that host in its status, its members and the journal."""
    with lan.Lan(4, family="ipv4") as net:
        deaf, others = net.hosts[-1], net.hosts[:-1]
        for host in others:
            host.start()
        net.wait("the others", lambda: net.agreed(others))
        deaf.let_in("udp dport 7543-7575 meta length > %d drop" % LIST_LENGTH)
        deaf.start()
        leader = next(host for host in others if host.view["role"] == "leader")
        words = deaf.name + " does not take the membership list"

        def named():
            return any(text.startswith(words) for text in
                       leader.call("io.electd.GetStatus")["health"]["problems"])
        lan.until("%s names it" % leader.name, named)
        shown = leader.call("io.electd.GetMembers")["list_untaken"]
        if shown != {"id": deaf.id, "name": deaf.name} or words not in leader.log():
            raise Failed("%s shows as one without the list: %s" % (leader.name, shown))


def attempt(net, result, name, function, *args):
    """Runs a test after all hosts have ended, whatever the previous test has left."""
    for host in net.hosts:
        if host.process:
            host.kill()
        host.write_config()
    result.attempt(name, function, *args)


def main():
    result = report.Report()
    lan.setup()
    with lan.Lan(3) as net:
        attempt(net, result, "configurations", configurations, net.hosts[0])
        attempt(net, result, "command line", command_line, net, net.hosts[0])
        attempt(net, result, "state directory", state_directory, net, net.hosts[0])
        attempt(net, result, "control socket", control_socket, net.hosts[2])
        attempt(net, result, "stalled leader", stalled, net)
        if result.failed:
            net.print_logs()
    result.attempt("a membership list that never arrives", list_dropped)
    result.exit()


if __name__ == "__main__":
    main()
