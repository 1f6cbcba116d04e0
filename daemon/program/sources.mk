# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/clock.h \
	%D%/crash.c \
	%D%/crash.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/guarded.c \
	%D%/guarded.h \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/manager.c \
	%D%/manager.h \
	%D%/options.c \
	%D%/options.h \
	%D%/signals.c \
	%D%/signals.h \
	%D%/status.c \
	%D%/status.h \
	%D%/timens.h \
	%D%/title.c \
	%D%/title.h \
	%D%/whole.c \
	%D%/whole.h \
	%D%/worker.c \
	%D%/worker.h

libelecthookd_a_SOURCES += \
	%D%/clock.h \
	%D%/crash.c \
	%D%/crash.h \
	%D%/folder.c \
	%D%/folder.h \
	%D%/kernel.c \
	%D%/kernel.h \
	%D%/manager.c \
	%D%/manager.h \
	%D%/options.c \
	%D%/options.h \
	%D%/signals.c \
	%D%/signals.h \
	%D%/status.c \
	%D%/status.h \
	%D%/timens.h \
	%D%/worker.c \
	%D%/worker.h

libelectctl_a_SOURCES += \
	%D%/guarded.c \
	%D%/guarded.h \
	%D%/whole.c \
	%D%/whole.h
