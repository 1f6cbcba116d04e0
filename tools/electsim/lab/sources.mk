# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/chang_roberts.c \
	%D%/lab.c \
	%D%/lab.h
