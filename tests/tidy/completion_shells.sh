#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests the completion of zsh and fish by completion.sh. `make check` tests only bash, because zsh
# and fish are rarely installed on build hosts.
set -eu
exec bash "$(dirname "${BASH_SOURCE[0]}")/completion.sh" zsh fish
