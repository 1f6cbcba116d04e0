# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/batch.c \
	%D%/faults.c \
	%D%/gateways.c \
	%D%/health.c \
	%D%/insiders.c \
	%D%/names.c \
	%D%/options.c \
	%D%/rollout.c \
	%D%/run.c \
	%D%/run.h \
	%D%/suspend.c \
	%D%/troubles.c
