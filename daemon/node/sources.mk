# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/act.c \
	%D%/address.c \
	%D%/address.h \
	%D%/addresses.c \
	%D%/answers.c \
	%D%/back.c \
	%D%/called.c \
	%D%/copy.c \
	%D%/definition.c \
	%D%/doctor.c \
	%D%/heard.c \
	%D%/heard.h \
	%D%/heard_only.c \
	%D%/host_names.c \
	%D%/inside.h \
	%D%/keys.c \
	%D%/lan.c \
	%D%/links.c \
	%D%/loop.c \
	%D%/named_peers.c \
	%D%/names.c \
	%D%/names.h \
	%D%/node.c \
	%D%/node.h \
	%D%/other_keys.c \
	%D%/overheard.c \
	%D%/overheard.h \
	%D%/overrun.c \
	%D%/reload.c \
	%D%/step.c \
	%D%/tell.c \
	%D%/unhooked.c \
	%D%/will.c
