# SPDX-License-Identifier: Apache-2.0

libelectaddress_a_SOURCES += \
	%D%/announce.c \
	%D%/announce.h \
	%D%/claim.c \
	%D%/copy.c \
	%D%/copy.h \
	%D%/frame.c \
	%D%/frame.h \
	%D%/inside.h \
	%D%/lead.c \
	%D%/message.c \
	%D%/message.h \
	%D%/note.c \
	%D%/note.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/report.c \
	%D%/report.h \
	%D%/rtnl.c \
	%D%/rtnl.h \
	%D%/run.c \
	%D%/run.h \
	%D%/settings.c \
	%D%/settings.h \
	%D%/site.c \
	%D%/site.h \
	%D%/watch.c
