# SPDX-License-Identifier: Apache-2.0

libelectaddress_a_SOURCES += \
	%D%/frame.c \
	%D%/frame.h \
	%D%/message.c \
	%D%/message.h \
	%D%/plan.c \
	%D%/plan.h \
	%D%/site.c \
	%D%/site.h
