# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/daemons.c \
	%D%/daemons.h \
	%D%/hosts.c \
	%D%/keys.c \
	%D%/play.c \
	%D%/play.h \
	%D%/snapshot.c \
	%D%/will.c \
	%D%/will.h
