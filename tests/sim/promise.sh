#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Nothing that an insider sends lasts longer than three beacons: each part of each message once. The
# area `promise` plays all cases.
set -u

exec "${ELECTSIM:-./electsim}" promise --quick
