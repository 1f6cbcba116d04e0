# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/axes.c \
	%D%/play.c \
	%D%/promise.c \
	%D%/promise.h
