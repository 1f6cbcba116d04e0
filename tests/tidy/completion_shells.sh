#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The completion of zsh and fish, judged by completion.sh. `make check` judges that of bash only,
# because zsh and fish are rarely installed where electd is built.
set -eu
exec bash "$(dirname "${BASH_SOURCE[0]}")/completion.sh" zsh fish
