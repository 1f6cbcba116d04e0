#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The control socket as systemd's varlinkctl sees it, and what electd-varlink(7) prints.

varlink.py: varlinkctl of this system, or of a root with Debian 13: one that the booted hosts have
left in their cache, else one that debootstrap makes and that is removed. Its validator accepts the
interfaces' descriptions without a word, its `introspect` reads them, and each method that only asks
is called. Without varlinkctl that is skipped.
"""
import contextlib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lan
import report
from report import Failed

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../man/electd-varlink.7")
CACHED = "/var/cache/electd-tests/images/trixie-*/usr/bin/varlinkctl"
ASKING = ("GetStatus", "GetMembers", "GetHistory", "GetMetrics", "GetHooks")


# ---- a root with varlinkctl ----------------------------------------------------------------------

def made():
    """Debian 13 with systemd, or None: it cannot be made here."""
    root = tempfile.mkdtemp(prefix="electd-varlink.", dir="/var/tmp")
    done = subprocess.run(["debootstrap", "--variant=minbase", "--include=systemd", "trixie", root],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False) \
        if shutil.which("debootstrap") else None
    if done and done.returncode == 0:
        return root
    shutil.rmtree(root)
    return None


@contextlib.contextmanager
def root_with_varlinkctl():
    cached = sorted(glob.glob(CACHED))
    if shutil.which("varlinkctl"):
        yield "/"
    elif cached:
        yield cached[-1].removesuffix("/usr/bin/varlinkctl")
    else:
        root = made()
        try:
            yield root
        finally:
            if root:
                shutil.rmtree(root)


def varlinkctl(root, *words, text=None):
    """What it says; a warning is a failure."""
    done = subprocess.run(["chroot", root, "varlinkctl", *words], input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20, check=False)
    if done.returncode or done.stderr:
        raise Failed("varlinkctl %s: exit %d, %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout


# ---- what is tested ------------------------------------------------------------------------------

def described(host, interface):
    return host.call("org.varlink.service.GetInterfaceDescription", interface=interface)[
        "description"]


def valid(host, root):
    """Nothing is to be said against the descriptions."""
    for interface in ("io.electd", "org.varlink.service"):
        varlinkctl(root, "validate-idl", text=described(host, interface))


def called(host, root):
    """Each method that asks, with its reply as ours has it."""
    lan.run("mount", "--bind", "/proc", root + "/proc")  # it connects by way of that
    lan.run("mount", "--bind", host.runtime_dir, root + "/mnt")
    try:
        socket = "/mnt/io.electd"
        if "GetStatus" not in varlinkctl(root, "introspect", socket, "io.electd"):
            raise Failed("introspect does not name GetStatus")
        if "electd" not in varlinkctl(root, "info", socket):
            raise Failed("info does not name electd")
        for method in ASKING:
            reply = json.loads(varlinkctl(root, "--json=short", "call", socket,
                                          "io.electd." + method, "{}"))
            if sorted(reply) != sorted(host.call("io.electd." + method)):
                raise Failed("%s: %s" % (method, sorted(reply)))
    finally:
        lan.run("umount", root + "/mnt", root + "/proc")
    return "%d methods" % len(ASKING)


def printed(begin):
    """The display of the page that begins so, as people copy it."""
    with open(PAGE) as f:
        displays = re.findall(r"(?ms)^\.Bd -literal.*?\n(.*?)^\.Ed$", f.read())
    return next(d for d in displays if d.startswith(begin)).replace("\\e", "\\")


def subscribed(net, *command):
    """A program of the page says the state, and a change, and ends with electd."""
    host = net.leader()
    lan.run("mount", "--bind", host.runtime_dir, "/run/electd")
    try:
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
            first = program.stdout.readline()
            host.resign()
            net.wait("another one leads", lambda: net.led() and net.leader() is not host)
            token = str(net.leader().token())
            for line in program.stdout:
                if token in line:
                    break
            host.stop()
            rest = program.stdout.read()
            status = program.wait(5)
    finally:
        lan.run("umount", "/run/electd")
        if not host.process:
            host.start()
    net.settle()
    if "snapshot" not in first or status:
        raise Failed("exit %d, it said %r and in the end %r" % (status, first, rest))


def python(net):
    subscribed(net, sys.executable, "-c", printed("import"))


def c_program(net):
    source, program = net.dir + "/subscribed.c", net.dir + "/subscribed"
    with open(source, "w") as f:
        f.write(printed("#include"))
    lan.run("cc", "-Wall", "-Wextra", "-Werror", "-o", program, source)
    subscribed(net, program)


def main():
    lan.setup()
    result = report.Report()
    os.makedirs("/run/electd")
    with lan.Lan(2) as net, root_with_varlinkctl() as root:
        net.start()
        net.settle()
        result.attempt("Python, as printed", python, net)
        result.attempt("C, as printed", c_program, net)
        if root:
            result.attempt("varlinkctl finds no fault", valid, net.leader(), root)
            result.attempt("varlinkctl calls", called, net.leader(), root)
        else:
            print("SKIP varlinkctl: it is not here, and Debian 13 cannot be had")
    result.exit()


if __name__ == "__main__":
    main()
