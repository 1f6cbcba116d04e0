# SPDX-License-Identifier: Apache-2.0

nobase_dist_example_DATA += \
	%D%/README.md \
	%D%/fencing/README.md \
	%D%/fencing/fence.sql \
	%D%/fencing/report.service \
	%D%/unit/README.md \
	%D%/unit/scheduler.service

nobase_dist_example_SCRIPTS += \
	%D%/fencing/report \
	%D%/fencing/write-file \
	%D%/fencing/write-row
