# SPDX-License-Identifier: Apache-2.0

libelectd_a_SOURCES += \
	%D%/clock.h \
	%D%/folder.c \
	%D%/folder.h

libelecthookd_a_SOURCES += \
	%D%/clock.h \
	%D%/folder.c \
	%D%/folder.h
