# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/ask.c \
	%D%/bully.h \
	%D%/candidate.c \
	%D%/coordinator.c \
	%D%/down.c \
	%D%/halted.c \
	%D%/member.c \
	%D%/order.c \
	%D%/own.h \
	%D%/phase.c \
	%D%/proof.c \
	%D%/says.c \
	%D%/table.c
