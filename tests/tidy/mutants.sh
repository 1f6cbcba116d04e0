#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every mutant still finds its text in the code: a commit that moves a rule moves its mutants, too.
# tests/sim/mutants.sh without arguments tests that each mutant is caught.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"
srcdir=. exec bash tests/sim/mutants.sh --apply
