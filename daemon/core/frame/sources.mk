# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/adaptive.c \
	%D%/adaptive.h \
	%D%/algorithm.h \
	%D%/backoff.c \
	%D%/backoff.h \
	%D%/because.c \
	%D%/command.c \
	%D%/command.h \
	%D%/compose.c \
	%D%/counter.c \
	%D%/due.c \
	%D%/due.h \
	%D%/elect.c \
	%D%/following.c \
	%D%/following.h \
	%D%/keys.c \
	%D%/keys.h \
	%D%/leave.c \
	%D%/leave.h \
	%D%/lists.c \
	%D%/lists.h \
	%D%/out.c \
	%D%/pace.c \
	%D%/role.c \
	%D%/role.h \
	%D%/roster.c \
	%D%/roster.h \
	%D%/self.c \
	%D%/sick.c \
	%D%/sick.h \
	%D%/stall.c \
	%D%/stall.h \
	%D%/state.c \
	%D%/state.h \
	%D%/timers.c \
	%D%/until.c \
	%D%/until.h \
	%D%/view.c \
	%D%/watched.c \
	%D%/watched.h \
	%D%/why_nots.c \
	%D%/why_nots.h \
	%D%/will.c \
	%D%/will.h
