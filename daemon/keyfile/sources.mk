# SPDX-License-Identifier: Apache-2.0

libelectd_a_SOURCES += \
	%D%/file.c \
	%D%/keyfile.h \
	%D%/text.c

libelectctl_a_SOURCES += \
	%D%/file.c \
	%D%/keyfile.h \
	%D%/text.c
