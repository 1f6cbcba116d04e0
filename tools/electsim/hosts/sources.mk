# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/calm.c \
	%D%/calm.h \
	%D%/hosts.c \
	%D%/hosts.h \
	%D%/play.c \
	%D%/shown.c \
	%D%/shown.h
