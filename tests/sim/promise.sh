#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# No message of an insider may have an effect for longer than three beacons: each part of each
# message once. The area `promise` plays all cases.
set -u

exec "${ELECTSIM:-./electsim}" promise --quick
