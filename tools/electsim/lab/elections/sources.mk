# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/bully_short.c \
	%D%/chang_roberts.c \
	%D%/chang_roberts.h \
	%D%/exact.c \
	%D%/exact.h \
	%D%/frederickson_lynch.c \
	%D%/hirschberg_sinclair.c \
	%D%/interval.c \
	%D%/interval.h \
	%D%/lab.c \
	%D%/lab.h \
	%D%/lcr.c \
	%D%/omega.c \
	%D%/omega_recovery.c \
	%D%/ring.c
