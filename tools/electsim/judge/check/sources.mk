# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/address.c \
	%D%/carrier.c \
	%D%/check.c \
	%D%/check.h \
	%D%/crash.c \
	%D%/fail.c \
	%D%/health.c \
	%D%/inside.h \
	%D%/lead.c \
	%D%/leap.c \
	%D%/live.c \
	%D%/quorum.c \
	%D%/sessions.c \
	%D%/told.c \
	%D%/twice.c \
	%D%/until.c \
	%D%/why.c
