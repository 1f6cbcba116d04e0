#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Each file says its licence in its first lines. LICENSE is the licence; fuzz inputs are bytes; two
# files of debian/ have no room for a comment, and debian/copyright speaks for them; what people copy
# out of examples/ is theirs from the first line on, and examples/README.md speaks for that.
set -eu
. "$(dirname "${BASH_SOURCE[0]}")/list.sh"

failed=0
while read -r file; do
	case $file in
	LICENSE | debian/changelog | debian/source/format | examples/*/*) continue ;;
	esac
	if ! head -n 4 "$file" | grep -q 'SPDX-License-Identifier: Apache-2\.0'; then
		echo "$file: no SPDX line among the first four"
		failed=1
	fi
done < <(list_files)
grep -q 'Version 2.0, January 2004' LICENSE || { echo "LICENSE is not Apache-2.0"; failed=1; }
exit $failed
