# SPDX-License-Identifier: Apache-2.0
"""Load for all hosts at once: lost packets and busy processors. Each function yields a function
that reports how heavy the load was so far, and fails if there was none."""
import contextlib
import os
import re
import subprocess

import lan
import report
from report import Failed


@contextlib.contextmanager
def loss(percent):
    """Drops that share of frames on each path, also of those that a host reads raw."""
    lan.run("nft", "table bridge loss { chain way { type filter hook forward priority 0; "
            "counter numgen random mod 100 < %d counter drop; }; }" % percent)

    def lost():
        counted = lan.run("nft", "list table bridge loss").stdout
        frames, gone = map(int, re.findall(r"packets (\d+)", counted))
        if frames > 20 * 100 / percent and not gone:
            raise Failed("nothing of %d frames was lost" % frames)
        return "%d of %d frames lost" % (gone, frames)
    try:
        yield lost
    finally:
        lan.run("nft", "delete table bridge loss")


@contextlib.contextmanager
def load(loops):
    started, began = [], lan.now()

    def busy():
        cores = sum(report.cpu_seconds(loop.pid) for loop in started) / (lan.now() - began)
        if cores < 0.2 * os.cpu_count():
            raise Failed("%d loops had %.1f of %d cores" % (len(started), cores, os.cpu_count()))
        return "%d loops had %.1f of %d cores" % (len(started), cores, os.cpu_count())
    try:
        for _ in range(loops * os.cpu_count()):
            started.append(subprocess.Popen(["sh", "-c", "while :; do :; done"]))
        yield busy
    finally:
        for loop in started:
            loop.kill()
        for loop in started:
            loop.wait()
