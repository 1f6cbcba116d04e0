#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The control socket as systemd's varlinkctl sees it, and what electd-varlink(7) prints.

varlink.py: varlinkctl of this system, or of Debian 13 from booted/image.sh. Its validator accepts the
interfaces' descriptions without a word, its `introspect` reads them, and each method that only asks
is called. Without varlinkctl that is skipped.
"""
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
ASKING = ("GetStatus", "GetMembers", "GetHistory", "GetMetrics", "GetHooks", "GetKeys")


# ---- a root with varlinkctl ----------------------------------------------------------------------

def root_with_varlinkctl():
    """"": Debian 13 cannot be had."""
    if shutil.which("varlinkctl"):
        return "/"
    made = subprocess.run(["bash", os.path.join(HERE, "booted/image.sh"), "--suite", "trixie"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=False)
    if made.returncode:
        print("SKIP varlinkctl: it is not here, and " + made.stdout.strip())
        return ""
    return made.stdout.strip()


def prepare(root):
    """A place for electd's socket, which nobody else sees; the image stays while this program runs."""
    if root == "/":
        return
    fcntl.flock(os.open(root, os.O_RDONLY | os.O_DIRECTORY), fcntl.LOCK_SH)
    lan.run("mount", "--bind", "/proc", root + "/proc")  # varlinkctl connects by way of that
    lan.run("mount", "-t", "tmpfs", "run", root + "/run")
    os.mkdir(root + SOCKET_FOLDER)


@contextlib.contextmanager
def at_its_place(host, root="/"):
    """Its socket is where people look for it."""
    lan.run("mount", "--bind", host.runtime_dir, root + SOCKET_FOLDER)
    try:
        yield
    finally:
        lan.run("umount", root + SOCKET_FOLDER)


def varlinkctl(root, *words, text=None):
    """What it says; a warning is a failure."""
    done = subprocess.run(["chroot", root, "varlinkctl", *words], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=lan.PATIENCE,
                          check=False)
    if done.returncode or done.stderr:
        raise Failed("varlinkctl %s: exit %d, %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


# ---- what is tested ------------------------------------------------------------------------------

def foreign(host, root):
    """It has nothing to say against the descriptions, and calls each method that asks."""
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
    """The display of the page that begins so, as people copy it."""
    with open(PAGE) as f:
        displays = re.findall(r"(?ms)^\.Bd -literal.*?\n(.*?)^\.Ed$", f.read())
    return next(d for d in displays if d.startswith(begin)).replace("\\e", "\\")


def subscribed(net, *command, root="/", ends=0):
    """A program of the page says the state, and a change, and ends with electd."""
    host = net.leader()
    with at_its_place(host, root), \
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                             text=True) as program:
        first = program.stdout.readline()
        host.resign()
        net.wait("another one leads", lambda: net.led() and net.leader() is not host)
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
    """Its work ends before another host leads: by Release, or by itself where electd is stopped. What
    it has printed by then stays all that it prints."""
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
    """varlinkctl calls it an error that a reply was to follow."""
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
