# SPDX-License-Identifier: Apache-2.0

nobase_dist_example_DATA += \
	%D%/README.md \
	%D%/unit/README.md \
	%D%/unit/scheduler.service
