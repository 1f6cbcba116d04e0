# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/draw.h \
	%D%/pcap.c \
	%D%/svg.c \
	%D%/svg.h \
	%D%/svg_draw.c \
	%D%/trace.c
