# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/algorithms.c \
	%D%/algorithms.h
