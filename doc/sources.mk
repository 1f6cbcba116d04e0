# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/algorithm.md \
	%D%/messages.md \
	%D%/trust.md
