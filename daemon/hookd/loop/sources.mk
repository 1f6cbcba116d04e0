# SPDX-License-Identifier: Apache-2.0

libelecthookd_a_SOURCES += \
	%D%/timer.c \
	%D%/timer.h
