# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/bar_list.h \
	%D%/bits.h \
	%D%/elect.h \
	%D%/elect_msg.h \
	%D%/elect_view.h \
	%D%/hook.c \
	%D%/hook.h \
	%D%/hookplan.c \
	%D%/hookplan.h \
	%D%/line.c \
	%D%/line.h \
	%D%/links.c \
	%D%/links.h \
	%D%/message_list.h \
	%D%/messages.c \
	%D%/messages.h \
	%D%/moment.h \
	%D%/narrate.c \
	%D%/narrate.h \
	%D%/phase_list.h \
	%D%/places.c \
	%D%/places.h \
	%D%/problem_list.h \
	%D%/ranks.c \
	%D%/ranks.h \
	%D%/rng.h \
	%D%/shown.c \
	%D%/shown.h \
	%D%/values.c
