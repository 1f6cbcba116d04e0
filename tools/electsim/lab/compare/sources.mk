# SPDX-License-Identifier: Apache-2.0

libelectsim_a_SOURCES += \
	%D%/algorithms.c \
	%D%/compare.c \
	%D%/compare.h \
	%D%/html.c \
	%D%/json.c \
	%D%/list.c \
	%D%/measure.c \
	%D%/play.c \
	%D%/plot.c \
	%D%/scenes.c \
	%D%/steps.c \
	%D%/text.c

# The page is an HTML file in the source; the program has it as lines of C.
EXTRA_DIST += \
	%D%/page.html
CLEANFILES += \
	%D%/page.inc

%D%/page.inc: %D%/page.html
	$(AM_V_GEN)$(MKDIR_P) %D% && sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/.*/"&",/' \
		$(srcdir)/%D%/page.html >$@.new && mv $@.new $@

%D%/html.$(OBJEXT): %D%/page.inc
