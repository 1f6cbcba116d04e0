# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/ask.c \
	%D%/expect.c \
	%D%/story.c \
	%D%/story.h \
	%D%/verbs.c \
	%D%/verbs_health.c \
	%D%/verbs_keys.c \
	%D%/verbs_lab.c \
	%D%/verbs_lan.c \
	%D%/verbs_reach.c \
	%D%/words.c
