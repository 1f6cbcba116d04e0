# SPDX-License-Identifier: Apache-2.0

libelecthookd_a_SOURCES += \
	%D%/child.c \
	%D%/command.c \
	%D%/command.h \
	%D%/file.c \
	%D%/inside.h \
	%D%/output.c \
	%D%/session.c \
	%D%/vet.c \
	%D%/vet.h \
	%D%/walk.c \
	%D%/walk.h
