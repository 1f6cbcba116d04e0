# SPDX-License-Identifier: Apache-2.0

libelectaddress_a_SOURCES += \
	%D%/announce.c \
	%D%/announce.h \
	%D%/copy.c \
	%D%/copy.h \
	%D%/frame.c \
	%D%/frame.h \
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
	%D%/settings.c \
	%D%/settings.h \
	%D%/site.c \
	%D%/site.h
