# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/conditions.c \
	%D%/craft.c \
	%D%/craft.h \
	%D%/forge.c \
	%D%/forge.h \
	%D%/forgeries.c \
	%D%/hostile.c \
	%D%/inside.h \
	%D%/insider.c \
	%D%/lan.c \
	%D%/lan.h \
	%D%/trigger.c
