# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/file.c \
	%D%/keyfile.h \
	%D%/text.c

libelectctl_a_SOURCES += \
	%D%/file.c \
	%D%/keyfile.h \
	%D%/text.c
