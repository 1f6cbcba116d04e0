# SPDX-License-Identifier: Apache-2.0

dist_man_MANS += \
	%D%/electctl.1 \
	%D%/electd-address.8 \
	%D%/electd-health.7 \
	%D%/electd-hookd.8 \
	%D%/electd-hooks.7 \
	%D%/electd-protocol.7 \
	%D%/electd-security.7 \
	%D%/electd-troubleshooting.7 \
	%D%/electd-varlink.7 \
	%D%/electd.3 \
	%D%/electd.8 \
	%D%/electd.conf.5 \
	%D%/electsim.1
