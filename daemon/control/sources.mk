# SPDX-License-Identifier: Apache-2.0

libelectdaemon_a_SOURCES += \
	%D%/addresses.c \
	%D%/call.c \
	%D%/call.h \
	%D%/client.c \
	%D%/control.h \
	%D%/holders.c \
	%D%/inside.h \
	%D%/interface.c \
	%D%/lan.c \
	%D%/methods.c \
	%D%/places.c \
	%D%/request.c \
	%D%/request.h \
	%D%/serve.c \
	%D%/shapes.c \
	%D%/socket.c \
	%D%/subuid.c \
	%D%/subuid.h \
	%D%/watch.c
