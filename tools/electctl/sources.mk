# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/ask.c \
	%D%/ask.h \
	%D%/client.c \
	%D%/client.h \
	%D%/complete.c \
	%D%/complete.h \
	%D%/electctl.h \
	%D%/explain.c \
	%D%/explain.h \
	%D%/field.c \
	%D%/field.h \
	%D%/filter.c \
	%D%/filter.h \
	%D%/help.c \
	%D%/help.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/keyplace.c \
	%D%/keyplace.h \
	%D%/options.c \
	%D%/options.h \
	%D%/replace.c \
	%D%/replace.h \
	%D%/stoptime.c \
	%D%/stoptime.h \
	%D%/text.c \
	%D%/text.h \
	%D%/unit.c \
	%D%/unit.h \
	%D%/verbs.h
