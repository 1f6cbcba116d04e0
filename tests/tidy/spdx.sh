#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each file says its licence in its first lines. LICENSE is the licence; fuzz inputs are bytes; two
# files of debian/ have no room for a comment, and debian/copyright speaks for them; what people copy
# out of examples/ is theirs from the first line on, and examples/README.md speaks for that.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

grep -q 'Version 2.0, January 2004' LICENSE || { echo "LICENSE is not Apache-2.0"; exit 1; }
list_files | grep -vxE 'LICENSE|debian/changelog|debian/source/format|examples/.*/.*' | xargs -d '\n' awk '
	FNR <= 4 && /SPDX-License-Identifier: Apache-2\.0/ { said[FILENAME] }
	END {
		for (i = 1; i < ARGC; i++)
			if (!(ARGV[i] in said)) {
				print ARGV[i] ": no SPDX line among the first four"
				failed = 1
			}
		exit failed
	}'
