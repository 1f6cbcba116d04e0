#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under another kernel: Debian's user-mode-linux, which has bonds, VLANs, VRFs and
tunnels even if the kernel of this machine lacks them.

uml.py PROGRAM [ARGUMENT...]: the program can read the files of this machine, but not change them;
it has its own /run. The exit status is the program's; 77 without the package user-mode-linux, or if
it does not start. ELECTD_UML names another linux.uml, ELECTD_UML_MODULES the folder of its modules.
"""
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
KERNEL = os.environ.get("ELECTD_UML", "linux.uml")
MODULES = os.environ.get("ELECTD_UML_MODULES", "/usr/lib/uml/modules")
BEGIN, END = "-- begin --", "-- end, status %d --"
# ip(8) makes the kernel load most modules, but no modprobe finds them in /lib/modules.
WANTED = ("af_packet bridge veth macvlan macvtap tun bonding team 8021q vrf dummy ipvlan ip_gre ipip "
          "sit ip6_tunnel vxlan geneve ppp_generic macsec nf_tables").split()
# The kernel has one processor, and its system calls take ten times as long.
SLOW = "4"


def inside(words):
    """The first process of that kernel."""
    os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    for kind, where in ("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"):
        subprocess.run(["mount", "-t", kind, kind, where], check=True)
    os.makedirs("/run/modules/lib/modules")
    os.symlink(os.path.join(MODULES, os.uname().release),
               "/run/modules/lib/modules/" + os.uname().release)
    for name in WANTED:
        subprocess.run(["modprobe", "-d", "/run/modules", name], check=False,
                       stderr=subprocess.DEVNULL)
    os.environ.update(TMPDIR="/run", ELECTD_SLOW=SLOW)
    print(BEGIN, flush=True)
    status = subprocess.run([sys.executable, "-B", *words], check=False).returncode
    print(END % status, flush=True)
    with open("/proc/sysrq-trigger", "w") as f:
        f.write("o")
    signal.pause()


def play(program, words):
    """Runs the program there and prints its output: the exit status, 77 if that is impossible."""
    if not shutil.which(KERNEL) or not shutil.which("modprobe"):
        print("the package user-mode-linux or kmod is not installed")
        return 77
    builddir = os.path.realpath(os.environ.get("BUILDDIR", "."))
    kernel = subprocess.Popen(
        [KERNEL, "mem=1G", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "quiet",
         "loglevel=1", "con=null", "con0=fd:0,fd:1", "BUILDDIR=" + builddir,
         "ELECTD_UML_MODULES=" + MODULES, "init=" + sys.executable, "--", "-B",
         os.path.realpath(__file__), "--inside", os.path.join(HERE, program), *words],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")
    begun, status, before = False, None, []
    for line in kernel.stdout:
        line = line.rstrip("\r\n")
        end = re.match(END.replace("%d", r"(\d+)"), line)
        if end:
            status = int(end[1])
        if begun and status is None:
            print(line, flush=True)
        elif not begun:
            before.append(line)
        begun = begun or line == BEGIN
    kernel.wait()
    if not begun:
        print("\n".join(before[-20:]))
        print("%s did not start" % KERNEL)
        return 77
    return 1 if status is None else status


def here():
    return "ELECTD_SLOW" in os.environ


def again(program, skipped):
    """Runs what this kernel had to skip, {name: why}. Whether all that could run were right."""
    if not skipped:
        return True
    status = 77 if here() else play(program, list(skipped))
    if status == 77:
        for name, why in skipped.items():
            print("SKIP %s: %s" % (name, why))
    return status in (0, 77)


def main():
    if sys.argv[1] == "--inside":
        # That kernel adds an argument.
        inside([word for word in sys.argv[2:] if not word.startswith("console=")])
    sys.exit(play(sys.argv[1], sys.argv[2:]))


if __name__ == "__main__":
    main()
