# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/exact.c \
	%D%/rows.c \
	%D%/rows.h
