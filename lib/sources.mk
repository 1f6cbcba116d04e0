# SPDX-License-Identifier: Apache-2.0

client_files = \
	%D%/call.c \
	%D%/call.h \
	%D%/electd.c \
	%D%/electd.h \
	%D%/event.c \
	%D%/event.h \
	%D%/holder.c \
	%D%/holder.h \
	%D%/inside.h \
	%D%/requests.c \
	%D%/requests.h \
	%D%/subscription.c \
	%D%/subscription.h \
	%D%/work.c \
	%D%/work.h

# The library for programs of this source.
libelectclient_a_SOURCES += $(client_files)

# The library for other programs: one of the same files with the few functions of the core that they
# call. Sanitizers and coverage judge the archive; this library has neither, so that every program
# can load it.
solibdir = $(libdir)
solib_PROGRAMS = libelectd.so.0
libelectd_so_0_SOURCES = $(client_files) daemon/core/values.c
libelectd_so_0_CFLAGS = $(BASE_CFLAGS) $(WARN_CFLAGS) $(HARDEN_CFLAGS) \
	-fPIC -ffunction-sections -fdata-sections
libelectd_so_0_LDFLAGS = $(HARDEN_LDFLAGS) -shared -Wl,-soname=libelectd.so.0 \
	-Wl,--version-script=$(srcdir)/%D%/libelectd.map -Wl,-z,defs -Wl,--gc-sections
libelectd_so_0_LDADD = $(JANSSON_LIBS)
EXTRA_libelectd_so_0_DEPENDENCIES = %D%/libelectd.map

include_HEADERS = %D%/electd.h
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = %D%/electd.pc
if HAVE_PYTHONDIR
python_DATA = %D%/python/electd.py
endif

EXTRA_DIST += \
	%D%/electd.pc.in \
	%D%/libelectd.map \
	%D%/python/electd.py

# The compiler looks for the name without a version.
install-data-hook:
	cd "$(DESTDIR)$(solibdir)" && rm -f libelectd.so && $(LN_S) libelectd.so.0 libelectd.so

uninstall-hook:
	rm -f "$(DESTDIR)$(solibdir)/libelectd.so"
