# SPDX-License-Identifier: Apache-2.0

libelectd_a_SOURCES += \
	%D%/act.c \
	%D%/answers.c \
	%D%/definition.c \
	%D%/inside.h \
	%D%/names.c \
	%D%/names.h \
	%D%/loop.c \
	%D%/node.h \
	%D%/node.c \
	%D%/other.c \
	%D%/reload.c \
	%D%/tell.c
