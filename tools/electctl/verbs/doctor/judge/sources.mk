# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/finding_list.h \
	%D%/findings.c \
	%D%/findings.h \
	%D%/firewall.c \
	%D%/firewall.h \
	%D%/firewall_match.c \
	%D%/firewall_match.h \
	%D%/host.c \
	%D%/inside.h \
	%D%/judge.c \
	%D%/judge.h \
	%D%/lan.c \
	%D%/links.c \
	%D%/peers.c \
	%D%/routes.c \
	%D%/ways.c
