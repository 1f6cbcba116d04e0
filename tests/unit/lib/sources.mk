# SPDX-License-Identifier: Apache-2.0

noinst_HEADERS += \
	%D%/said.h

UNIT_TESTS += \
	%D%/test_electd

%C%_test_electd_LDADD = $(ELECTCLIENT_LIBS) $(CMOCKA_LIBS)

# The rules in C, for table.sh and histories.sh.
LIB_HELPERS += \
	%D%/play

%C%_play_SOURCES = %D%/play.c
%C%_play_LDADD = $(ELECTCLIENT_LIBS)

LIB_TESTS += \
	%D%/client.sh \
	%D%/histories.sh \
	%D%/table.sh

EXTRA_DIST += \
	%D%/client.py \
	%D%/histories.py \
	%D%/holder.table \
	%D%/play.py
