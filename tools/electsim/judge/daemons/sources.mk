# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/addresses.c \
	%D%/daemons.c \
	%D%/daemons.h \
	%D%/inside.h \
	%D%/keys.c \
	%D%/own_link.c \
	%D%/snapshot.c \
	%D%/will.c
