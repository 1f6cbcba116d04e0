# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/other_keys.c \
	%D%/other_keys.h \
	%D%/peers.c \
	%D%/peers.h \
	%D%/ring.c \
	%D%/ring.h \
	%D%/session.c \
	%D%/session.h \
	%D%/unverified.c \
	%D%/unverified.h \
	%D%/trust.c \
	%D%/trust.h \
	%D%/unresponsive.c \
	%D%/unresponsive.h
