# SPDX-License-Identifier: Apache-2.0

libelect_a_SOURCES += \
	%D%/named.c \
	%D%/named.h \
	%D%/routes.c \
	%D%/routes.h
