# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/addresses.c \
	%D%/addresses.h \
	%D%/clauses.c \
	%D%/clauses.h \
	%D%/entry.c \
	%D%/entry.h \
	%D%/history.c \
	%D%/history.h \
	%D%/hooks.c \
	%D%/hooks.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/log.c \
	%D%/log.h \
	%D%/metrics.c \
	%D%/metrics.h \
	%D%/service.c \
	%D%/service.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/times.c \
	%D%/times.h \
	%D%/times_list.h \
	%D%/why.c \
	%D%/why.h

libelecthookd_a_SOURCES += \
	%D%/entry.c \
	%D%/entry.h \
	%D%/log.c \
	%D%/log.h
