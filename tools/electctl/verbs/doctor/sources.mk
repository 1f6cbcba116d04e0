# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/arp.c \
	%D%/doctor.c \
	%D%/doctor.h \
	%D%/ear.c \
	%D%/finding_list.h \
	%D%/findings.c \
	%D%/findings.h \
	%D%/firewall.c \
	%D%/firewall.h \
	%D%/firewall_match.c \
	%D%/firewall_match.h \
	%D%/gather.h \
	%D%/host.c \
	%D%/judge.c \
	%D%/judge.h \
	%D%/judge_host.c \
	%D%/judge_lan.c \
	%D%/judge_links.c \
	%D%/judge_peers.c \
	%D%/judge_ways.c \
	%D%/tell.c
