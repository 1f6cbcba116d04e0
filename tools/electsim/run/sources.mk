# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/batch.c \
	%D%/faults.c \
	%D%/health.c \
	%D%/insiders.c \
	%D%/jobs.c \
	%D%/jobs.h \
	%D%/lab.c \
	%D%/lasting.c \
	%D%/names.c \
	%D%/options.c \
	%D%/progress.c \
	%D%/rollout.c \
	%D%/run.c \
	%D%/run.h \
	%D%/suspend.c \
	%D%/troubles.c
