# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/health.c \
	%D%/hosts.c \
	%D%/inside.h \
	%D%/keys.c \
	%D%/lab.c \
	%D%/lan.c \
	%D%/reach.c \
	%D%/verbs.c
