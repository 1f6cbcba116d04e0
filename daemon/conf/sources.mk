# SPDX-License-Identifier: Apache-2.0

conf_files = \
	%D%/conf.c \
	%D%/conf.h \
	%D%/file.c \
	%D%/file.h \
	%D%/host_name.c \
	%D%/host_name.h \
	%D%/key.c \
	%D%/keys.h \
	%D%/owned.c \
	%D%/owned.h \
	%D%/peer.c \
	%D%/peer.h \
	%D%/profile.c \
	%D%/profile.h \
	%D%/table.c \
	%D%/value.c \
	%D%/value.h

libelectdaemon_a_SOURCES += $(conf_files)
libelectctl_a_SOURCES += $(conf_files)
