# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/bytes.h \
	%D%/fields.c \
	%D%/fields.h \
	%D%/lists.c \
	%D%/wire.c \
	%D%/wire.h
