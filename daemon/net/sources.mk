# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/behind.c \
	%D%/behind.h \
	%D%/choose.c \
	%D%/dump.c \
	%D%/echo.c \
	%D%/echo.h \
	%D%/frames.c \
	%D%/frames.h \
	%D%/homes.c \
	%D%/homes.h \
	%D%/life.c \
	%D%/life.h \
	%D%/links.c \
	%D%/links.h \
	%D%/mark.h \
	%D%/memory.c \
	%D%/memory.h \
	%D%/monitor.c \
	%D%/monitor.h \
	%D%/net.c \
	%D%/net.h \
	%D%/notes.c \
	%D%/notes.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/route.c \
	%D%/route.h \
	%D%/socket.c \
	%D%/socket.h \
	%D%/sockets.c \
	%D%/sockets.h \
	%D%/subnet.c \
	%D%/subnet.h \
	%D%/taken.c \
	%D%/taken.h \
	%D%/toward.c

libelectctl_a_SOURCES += \
	%D%/route.c \
	%D%/route.h \
	%D%/taken.c \
	%D%/taken.h
