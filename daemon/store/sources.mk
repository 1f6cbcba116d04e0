# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/file.c \
	%D%/file.h \
	%D%/slot.c \
	%D%/store.c \
	%D%/store.h
