#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The sockets of electd.py: client.py has a small electd, also a hostile one.
set -eu
cd "${srcdir:-.}/tests/unit/lib"
exec python3 -B -W error client.py
