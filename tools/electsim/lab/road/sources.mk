# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/bytes.c \
	%D%/calm.c \
	%D%/inside.h \
	%D%/lane.c \
	%D%/road.c \
	%D%/road.h \
	%D%/watch.c
