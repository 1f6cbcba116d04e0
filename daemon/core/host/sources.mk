# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/challenge.c \
	%D%/challenge.h \
	%D%/families.c \
	%D%/families.h \
	%D%/host.c \
	%D%/host.h \
	%D%/own.c \
	%D%/own.h \
	%D%/put_back.c \
	%D%/put_back.h \
	%D%/ration.c \
	%D%/ration.h \
	%D%/recheck.c \
	%D%/recheck.h \
	%D%/send.c \
	%D%/send.h \
	%D%/successors.c \
	%D%/successors.h \
	%D%/tried.c \
	%D%/tried.h \
	%D%/ways.c \
	%D%/ways.h
