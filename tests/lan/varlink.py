#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The control socket as systemd's varlinkctl sees it, and the programs of electd-varlink(7).

varlink.py: uses varlinkctl of this system, or of Debian 13 from booted/image.sh. Its validator must
accept the descriptions of the interfaces without a warning, its `introspect` must read them, and
each method that only reads is called. Without varlinkctl that part is skipped."""
import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import lan
import report
from report import Failed

HERE = os.path.dirname(os.path.abspath(__file__))
PAGE = os.path.join(HERE, "../../man/electd-varlink.7")
ROOT = "ELECTD_VARLINK_ROOT"
SOCKET_FOLDER = "/run/electd"
SOCKET = SOCKET_FOLDER + "/io.electd"
ASKING = ("GetStatus", "GetMembers", "GetHistory", "GetTimes", "GetMetrics", "GetHooks", "GetKeys")


def root_with_varlinkctl():
    """Returns "" if Debian 13 is not available."""
    if shutil.which("varlinkctl"):
        return "/"
    made = subprocess.run(["bash", os.path.join(HERE, "booted/image.sh"), "--suite", "trixie"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        print("SKIP varlinkctl: it is not here, and " + made.stdout.strip())
        return ""
    return made.stdout.strip()


def prepare(root):
    """Makes a private mount point for electd's socket; keeps the image during this program."""
    if root == "/":
        return
    fcntl.flock(os.open(root, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_SH)
    lan.run("mount", "--bind", "/proc", root + "/proc")  # varlinkctl connects through it
    lan.run("mount", "-t", "tmpfs", "run", root + "/run")
    os.mkdir(root + SOCKET_FOLDER)


@contextlib.contextmanager
def at_its_place(host, root="/"):
    """The socket of the host is at its default path."""
    lan.run("mount", "--bind", host.runtime_dir, root + SOCKET_FOLDER)
    try:
        yield
    finally:
        lan.run("umount", root + SOCKET_FOLDER)


def varlinkctl(root, *words, text=None):
    """Returns the output; a warning is a failure."""
    done = subprocess.run(["chroot", root, "varlinkctl", *words], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=lan.PATIENCE,
                          check=False)
    if done.returncode or done.stderr:
        raise Failed("varlinkctl %s: exit %d, %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


def foreign(host, root):
    """varlinkctl accepts the descriptions, and calls each method that only reads."""
    for interface in ("io.electd", "org.varlink.service"):
        varlinkctl(root, "validate-idl", text=host.call(
            "org.varlink.service.GetInterfaceDescription", interface=interface)["description"])
    with at_its_place(host, root):
        if "GetStatus" not in varlinkctl(root, "introspect", SOCKET, "io.electd"):
            raise Failed("introspect does not name GetStatus")
        if "electd" not in varlinkctl(root, "info", SOCKET):
            raise Failed("info does not name electd")
        for method in ASKING:
            reply = json.loads(varlinkctl(root, "--json=short", "call", SOCKET,
                                          "io.electd." + method, "{}"))
            if sorted(reply) != sorted(host.call("io.electd." + method)):
                raise Failed("%s: %s" % (method, sorted(reply)))


def printed(begin):
    """Returns the display of the page that begins so, as users copy it."""
    with open(PAGE) as f:
        displays = re.findall(r"(?ms)^\.Bd -literal.*?\n(.*?)^\.Ed$", f.read())
    return next(d for d in displays if d.startswith(begin)).replace("\\e", "\\")


def subscribed(net, *command, root="/", ends=0):
    """A program of the page prints the state and a change, and ends with electd."""
    host = net.leader()
    with at_its_place(host, root), \
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True) as program:
        first = program.stdout.readline()
        host.resign()
        net.wait("another host leads", lambda: net.led() and net.leader() is not host)
        token = str(net.leader().token())
        for line in program.stdout:
            if token in line:
                break
        host.stop()
        rest = program.stdout.read()
        status = program.wait(lan.PATIENCE)
    host.start()
    net.settle()
    if "snapshot" not in first or status != ends:
        raise Failed("exit %d, it said %r and in the end %r" % (status, first, rest))


def python(net):
    subscribed(net, sys.executable, "-c", printed("import"))


def holder(net, freeze):
    """The work of the holder ends before another host leads: by Release, or by itself if electd is
    stopped. It prints nothing afterwards."""
    host = net.leader()
    with at_its_place(host), \
            subprocess.Popen([sys.executable, "-c", printed("# A holder")], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL) as program:
        os.set_blocking(program.stdout.fileno(), False)
        lan.until("it works", lambda: str(host.token()).encode() in
                  (program.stdout.read() or b"").split())
        if freeze:
            host.process.send_signal(signal.SIGSTOP)
        else:
            host.resign()
        net.wait("another host leads", lambda: any(
            h.view and h.view["role"] == "leader" for h in net.hosts if h is not host))
        program.stdout.read()
        time.sleep(lan.BEACON)
        if program.stdout.read():
            raise Failed("it works on though another host leads")
        if freeze:
            host.process.send_signal(signal.SIGCONT)
        elif "not let go of" in host.log():
            raise Failed("it has not called Release")
        net.settle()
        host.stop()
        program.wait(lan.PATIENCE)
    host.start()
    net.settle()


def c_program(net):
    source, program = net.dir + "/subscribed.c", net.dir + "/subscribed"
    with open(source, "w") as f:
        f.write(printed("#include"))
    lan.run("cc", "-Wall", "-Wextra", "-Werror", "-o", program, source)
    subscribed(net, program)


def shell(net, root):
    """varlinkctl reports an error when the connection ends before the last reply."""
    subscribed(net, "chroot", root, "sh", "-c", printed("varlinkctl"), root=root, ends=1)


def main():
    if ROOT not in os.environ:  # inside there is no network
        os.environ[ROOT] = root_with_varlinkctl()
    root = os.environ[ROOT]
    lan.setup()
    result = report.Report()
    os.makedirs(SOCKET_FOLDER)
    with lan.Lan(2) as net:
        net.start()
        net.settle()
        result.attempt("Python, as printed", python, net)
        result.attempt("C, as printed", c_program, net)
        result.attempt("a holder, as printed", holder, net, False)
        result.attempt("a holder, as printed, of a stopped electd", holder, net, True)
        if root:
            prepare(root)
            result.attempt("shell, as printed", shell, net, root)
            result.attempt("varlinkctl", foreign, net.leader(), root)
    result.exit()


if __name__ == "__main__":
    main()
