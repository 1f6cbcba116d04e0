#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Both client libraries do the same in random histories, and the judge of histories.py finds nothing
# wrong. ELECTD_SEED draws others.
set -eu
c=$PWD/tests/unit/lib/play
cd "${srcdir:-.}/tests/unit/lib"
exec python3 -B histories.py --play "$c"
