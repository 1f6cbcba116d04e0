#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that follows the leader by electd.lead(), for clients.py: as client.c, in Python."""
import time

import electd

STEP = 0.002


def now():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


while True:
    with electd.lead("worker") as lead:
        while True:
            asked = now()
            if not lead:
                break
            print(lead.token, asked, now(), flush=True)
            lead.wait(STEP)
