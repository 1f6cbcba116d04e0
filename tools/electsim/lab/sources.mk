# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/chang_roberts.c \
	%D%/interval.c \
	%D%/interval.h \
	%D%/lab.c \
	%D%/lab.h \
	%D%/omega.c \
	%D%/omega_recovery.c
