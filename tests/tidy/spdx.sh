#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each file has its licence in its first lines. Exceptions: LICENSE itself; fuzz inputs; two files
# of debian/, which cannot have comments (see debian/copyright); the files that users copy from
# examples/, which examples/README.md covers.
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
