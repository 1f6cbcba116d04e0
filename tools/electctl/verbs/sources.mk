# SPDX-License-Identifier: Apache-2.0

libelectctl_a_SOURCES += \
	%D%/address.c \
	%D%/change.c \
	%D%/child.c \
	%D%/child.h \
	%D%/decode.c \
	%D%/describe.c \
	%D%/describe.h \
	%D%/health.c \
	%D%/history.c \
	%D%/keys.c \
	%D%/keys.h \
	%D%/keys_change.c \
	%D%/keys_show.c \
	%D%/leader.c \
	%D%/leaderunit.c \
	%D%/leaderunit.h \
	%D%/live.c \
	%D%/live.h \
	%D%/members.c \
	%D%/members.h \
	%D%/monitor.c \
	%D%/once.c \
	%D%/once.h \
	%D%/probe.c \
	%D%/reporter.c \
	%D%/reporter.h \
	%D%/resign.c \
	%D%/run.c \
	%D%/sentence.c \
	%D%/sentence.h \
	%D%/steps.c \
	%D%/steps.h \
	%D%/status.c \
	%D%/status.h \
	%D%/wait.c \
	%D%/waiter.c \
	%D%/waiter.h \
	%D%/watch.c
