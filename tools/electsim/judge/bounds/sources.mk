# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/bounds.c \
	%D%/bounds.h \
	%D%/changes.c \
	%D%/scale.c \
	%D%/scenes.c
