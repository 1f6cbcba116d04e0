# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/check.c \
	%D%/compose.c \
	%D%/suspicion.c \
	%D%/invitation.h \
	%D%/invited.c \
	%D%/join.c \
	%D%/listed.c \
	%D%/members.c \
	%D%/merge.c \
	%D%/own.h \
	%D%/start.c \
	%D%/succession.c \
	%D%/table.c \
	%D%/watch.c \
	%D%/worth.c
