# SPDX-License-Identifier: Apache-2.0

FUZZ_TESTS += \
	%D%/fuzz_conf \
	%D%/fuzz_control \
	%D%/fuzz_elect \
	%D%/fuzz_hookd \
	%D%/fuzz_shown \
	%D%/fuzz_state \
	%D%/fuzz_wire

EXTRA_DIST += \
	%D%/corpus/conf \
	%D%/corpus/control \
	%D%/corpus/elect \
	%D%/corpus/hookd \
	%D%/corpus/shown \
	%D%/corpus/state \
	%D%/corpus/wire

%C%_fuzz_conf_LDADD = $(FUZZ_LINK)
%C%_fuzz_conf_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_control_LDADD = $(FUZZ_LINK)
%C%_fuzz_control_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_elect_LDADD = $(FUZZ_LINK)
%C%_fuzz_elect_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_hookd_LDADD = $(FUZZ_LINK) $(ELECTHOOKD_LIBS)
%C%_fuzz_hookd_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_shown_LDADD = $(FUZZ_LINK)
%C%_fuzz_shown_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_state_LDADD = $(FUZZ_LINK)
%C%_fuzz_state_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
%C%_fuzz_wire_LDADD = $(FUZZ_LINK)
%C%_fuzz_wire_LDFLAGS = $(AM_LDFLAGS) $(FUZZ_LDFLAGS)
