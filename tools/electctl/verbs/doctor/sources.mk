# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/arp.c \
	%D%/doctor.c \
	%D%/doctor.h \
	%D%/ear.c \
	%D%/gather.h \
	%D%/host.c \
	%D%/port.c \
	%D%/routes.c \
	%D%/tell.c
