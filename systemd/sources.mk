# SPDX-License-Identifier: Apache-2.0

EXTRA_DIST += \
	%D%/electd-address.service.in \
	%D%/electd-hookd.service.in \
	%D%/electd-leader.target.in \
	%D%/electd-metrics.service.in \
	%D%/electd-metrics.timer.in \
	%D%/electd-online.target.in \
	%D%/electd-probe@.service.in \
	%D%/electd-report@.service.in \
	%D%/electd-wait-online.service.in \
	%D%/electd.catalog \
	%D%/electd.firewalld.xml \
	%D%/electd.service.in \
	%D%/electd.sysusers \
	%D%/electd.ufw

UNITS = \
	systemd/electd-address.service \
	systemd/electd-hookd.service \
	systemd/electd-leader.target \
	systemd/electd-metrics.service \
	systemd/electd-metrics.timer \
	systemd/electd-online.target \
	systemd/electd-probe@.service \
	systemd/electd-report@.service \
	systemd/electd-wait-online.service \
	systemd/electd.service

# The same units for a further instance, for example electd@NAME.service.
INSTANCES = \
	systemd/electd-address@.service \
	systemd/electd-hookd@.service \
	systemd/electd-leader@.target \
	systemd/electd-metrics@.service \
	systemd/electd-metrics@.timer \
	systemd/electd-online@.target \
	systemd/electd-wait-online@.service \
	systemd/electd@.service

if HAVE_UNITDIR
systemdsystemunit_DATA = $(UNITS) $(INSTANCES)
endif
CLEANFILES = $(UNITS) $(INSTANCES)

# Both kinds of units come from one template. Only make knows where programs are installed; the
# units of an instance have its name in the names of units and folders.
unit = $(MKDIR_P) systemd && $(SED) \
	-e 's,@sbindir[@],$(sbindir),g' -e 's,@bindir[@],$(bindir),g'
PLAIN = -e 's,@\(address_options\|at\|dash\|domain\|electd_options\|hookd_options\|of\)[@],,g'
INSTANCE = -e 's,@at[@],@%i,g' -e 's,@dash[@],-%i,g' -e 's,@of[@], (%i),g' \
	-e 's,@domain[@], --domain %i,g' \
	-e 's,@address_options[@], --instance %i,g' \
	-e 's,@electd_options[@], --config /etc/electd/%i.conf,g' \
	-e 's,@hookd_options[@], --runtime-dir /run/electd-%i --target electd-leader@%i.target \
--online-target electd-online@%i.target,g'

$(UNITS): Makefile
	$(AM_V_GEN)$(unit) $(PLAIN) $(srcdir)/$@.in >$@

$(INSTANCES): Makefile
	$(AM_V_GEN)$(unit) $(INSTANCE) "$(srcdir)/$$(echo $@ | $(SED) 's,@,,').in" >$@

systemd/electd-address.service systemd/electd-address@.service: systemd/electd-address.service.in
systemd/electd-hookd.service systemd/electd-hookd@.service: systemd/electd-hookd.service.in
systemd/electd-leader.target systemd/electd-leader@.target: systemd/electd-leader.target.in
systemd/electd-metrics.service systemd/electd-metrics@.service: systemd/electd-metrics.service.in
systemd/electd-metrics.timer systemd/electd-metrics@.timer: systemd/electd-metrics.timer.in
systemd/electd-online.target systemd/electd-online@.target: systemd/electd-online.target.in
systemd/electd-probe@.service: systemd/electd-probe@.service.in
systemd/electd-report@.service: systemd/electd-report@.service.in
systemd/electd-wait-online.service systemd/electd-wait-online@.service: \
	systemd/electd-wait-online.service.in
systemd/electd.service systemd/electd@.service: systemd/electd.service.in

# systemd reads these folders below /usr and below /usr/local.
sysusersdir = $(prefix)/lib/sysusers.d
catalogdir = $(prefix)/lib/systemd/catalog

install-data-local:
	$(MKDIR_P) "$(DESTDIR)$(sysusersdir)" "$(DESTDIR)$(catalogdir)"
	$(INSTALL_DATA) $(srcdir)/systemd/electd.sysusers "$(DESTDIR)$(sysusersdir)/electd.conf"
	$(INSTALL_DATA) $(srcdir)/systemd/electd.catalog "$(DESTDIR)$(catalogdir)/electd.catalog"
if HAVE_FIREWALLDIR
	$(MKDIR_P) "$(DESTDIR)$(firewalldir)"
	$(INSTALL_DATA) $(srcdir)/systemd/electd.firewalld.xml "$(DESTDIR)$(firewalldir)/electd.xml"
endif
if HAVE_UFWDIR
	$(MKDIR_P) "$(DESTDIR)$(ufwdir)"
	$(INSTALL_DATA) $(srcdir)/systemd/electd.ufw "$(DESTDIR)$(ufwdir)/electd"
endif

uninstall-local:
	rm -f "$(DESTDIR)$(sysusersdir)/electd.conf" "$(DESTDIR)$(catalogdir)/electd.catalog"
if HAVE_FIREWALLDIR
	rm -f "$(DESTDIR)$(firewalldir)/electd.xml"
endif
if HAVE_UFWDIR
	rm -f "$(DESTDIR)$(ufwdir)/electd"
endif
