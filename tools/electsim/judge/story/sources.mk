# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/ask.c \
	%D%/expect.c \
	%D%/sections.c \
	%D%/story.c \
	%D%/story.h \
	%D%/words.c
