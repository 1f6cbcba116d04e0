# SPDX-License-Identifier: Apache-2.0

libelecthookd_a_SOURCES += \
	%D%/answer.c \
	%D%/aside.c \
	%D%/bound.c \
	%D%/bound.h \
	%D%/changes.c \
	%D%/changes.h \
	%D%/given.c \
	%D%/given.h \
	%D%/hookd.c \
	%D%/hookd.h \
	%D%/inside.h \
	%D%/lister.c \
	%D%/lister.h \
	%D%/look.c \
	%D%/outcome.c \
	%D%/phase.c \
	%D%/phase.h \
	%D%/play.c \
	%D%/record.c \
	%D%/report.c \
	%D%/report.h \
	%D%/step.c \
	%D%/stop.c \
	%D%/target.c \
	%D%/target.h \
	%D%/tell.c \
	%D%/tell.h \
	%D%/unit.c \
	%D%/watch.c \
	%D%/writer.c \
	%D%/writer.h
