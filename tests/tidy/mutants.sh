#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Every mutant still finds the text that it breaks, so whoever moves a rule moves its mutants too.
# That each is caught is for tests/sim/mutants.sh without a word.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"
srcdir=. exec bash tests/sim/mutants.sh --apply
