# SPDX-License-Identifier: Apache-2.0

libelecthookd_a_SOURCES += \
	%D%/call.c \
	%D%/call.h \
	%D%/definition.c \
	%D%/definition.h \
	%D%/identity.c \
	%D%/identity.h \
	%D%/link.c \
	%D%/link.h
