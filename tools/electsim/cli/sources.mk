# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/jobs.c \
	%D%/jobs.h \
	%D%/numbers.c \
	%D%/numbers.h \
	%D%/progress.c \
	%D%/verbs.h
