# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/build.sh \
	%D%/changelog \
	%D%/control \
	%D%/copyright \
	%D%/electd-doc.install \
	%D%/electd-sim.install \
	%D%/electd.install \
	%D%/electd.lintian-overrides \
	%D%/electd.postinst \
	%D%/electd.postrm \
	%D%/electd.prerm \
	%D%/libelectd-dev.install \
	%D%/libelectd0.install \
	%D%/libelectd0.symbols \
	%D%/python3-electd.install \
	%D%/python3-electd.postinst \
	%D%/python3-electd.prerm \
	%D%/rules \
	%D%/source/format \
	%D%/tests/control \
	%D%/tests/follows
