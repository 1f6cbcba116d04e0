# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/disk.c \
	%D%/election.h \
	%D%/hash.c \
	%D%/queue.c \
	%D%/sim.h \
	%D%/totals.c
