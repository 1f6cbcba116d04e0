#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A daemon's whole life under valgrind: elected, follower, resigned, asked, stopped. There must be
no error, and no lost descriptor or block. Timings are long because valgrind is slow."""
import os
import shutil
import sys

import lan
import report
from report import Failed

SLOWLY = 2 * lan.PATIENCE
SLOW = "timing = { beacon_interval_ms = 1000; dead_after_ms = 4000; };"
VALGRIND = ["valgrind", "--quiet", "--error-exitcode=99", "--leak-check=full",
            "--errors-for-leak-kinds=definite,indirect,possible", "--track-fds=yes"]


def life(net):
    watched, other = net.hosts
    watched.start(wrapper=VALGRIND)
    net.wait("it leads", lambda: watched.view and watched.view["role"] == "leader", SLOWLY)
    other.start()
    net.wait("both agree", net.agreed, SLOWLY)
    for words in (["status"], ["members"], ["members", "--json"], ["watch", "--count", "0"],
                  ["frobnicate"]):
        watched.electctl("--timeout", "20", *words)
    done = watched.electctl("--timeout", "40", "resign", "--for", "3")
    if done.returncode:
        raise Failed("resign: %s" % done.stderr)
    net.wait("both agree", net.agreed, SLOWLY)
    other.kill()
    net.wait("it leads again", lambda: watched.view and watched.view["role"] == "leader", SLOWLY)
    watched.process.terminate()
    status = watched.process.wait(60)
    net.gone(watched)
    watched.process = None
    said = [line for line in watched.log().splitlines() if line.startswith("==")]
    # valgrind lists every descriptor that is open at the end; the inherited ones do not matter.
    lost = [line for line in said if "Open " in line]
    if status or lost:
        raise Failed("exit %d: %s" % (status, "\n".join(said[:40])))
    return "nothing found"


def main():
    result = report.Report()
    if not shutil.which("valgrind"):
        print("valgrind is not installed")
        sys.exit(77)
    if os.environ.get("SANITIZED"):
        print("built with sanitizers")
        sys.exit(77)
    lan.setup()
    with lan.Lan(2, SLOW) as net:
        result.attempt("valgrind", life, net)
        if result.failed:
            net.print_logs()
    result.exit()


if __name__ == "__main__":
    main()
