/* SPDX-License-Identifier: Apache-2.0 */
/*
 * problem_list: the one list of the problems that the core finds, a row each, and nothing else.
 *
 * A file that includes it defines what a row becomes: the bits of elect_view.problems in elect.h, a
 * struct elect_problem_row in values.c, a finding of electctl doctor in finding_list.h. So it has
 * no include guard.
 *
 *	PROBLEM(NAME, bit, name, weight, words, remedy)
 *
 * `name` is for programs, `words` are for people. `weight`: a FAULT degrades the host, a HINT is
 * only told. `remedy`: see finding_list.h. Problems are listed in the order of the rows. A new one
 * takes the next bit, ELECT_PROBLEMS before its row is added. Besides its row it needs a condition
 * in frame/view.c or a bar (bar_list.h), and entries in electd.catalog, electctl(1) and
 * electd-troubleshooting(7).
 */
#ifndef PROBLEM /* for an editor that looks at this file alone */
#define PROBLEM(...)
#endif

PROBLEM(NOT_PERSISTED, 0, "not-persisted", FAULT,
	"the state file cannot be written: this host follows, but does not lead",
	"df -h /var/lib/electd; mount | grep var")
PROBLEM(STATE_LOST, 1, "state-lost", FAULT, "started without its state: it was damaged or lost",
	"journalctl -t electd -b; nothing else if the disk is good")
PROBLEM(DUPLICATE_ID, 2, "duplicate-id", FAULT,
	"another host uses this host's id: neither may lead",
	"on one of them: sudo rm /etc/machine-id && sudo systemd-machine-id-setup && sudo "
	"systemctl restart electd")
PROBLEM(SAME_DOMAIN, 20, "same-domain", FAULT,
	"another electd of this host is in the same domain: neither may lead",
	"grep domain /etc/electd/*.conf; remove it from NAME.conf, whose domain is then NAME, or "
	"sudo systemctl disable --now electd@NAME")
PROBLEM(TIMINGS_DIFFER, 3, "timings-differ", FAULT, "a host of this domain has other timings",
	"sudo electd --print-config | sed -n '/timing/,/}/p' on each host; set the same values on "
	"all hosts")
PROBLEM(PREEMPT_DIFFERS, 4, "preempt-differs", FAULT,
	"hosts of this domain disagree about preempt: it counts as off until a minute after they "
	"agree",
	"sudo electd --print-config | grep preempt on each host; set the same value on all hosts")
PROBLEM(NO_CARRIER, 5, "no-carrier", FAULT, "no network interface has a carrier",
	"ip -br link; plug the cable in")
PROBLEM(NO_QUORUM, 6, "no-quorum", FAULT,
	"the group is smaller than the quorum set here: this host does not lead",
	"electctl members lists the hosts that are here: bring others back, or lower quorum on all "
	"hosts")
PROBLEM(BROKEN_LINKS, 7, "broken-links", FAULT,
	"other coordinators are heard, but do not hear this host's group: both may lead and have "
	"the same address",
	"sudo electctl doctor on each host that electctl status names after Apart")
PROBLEM(TAG_CLASH, 8, "tag-clash", FAULT, "two hosts have the same token tag: tokens may be equal",
	"set another node.id on one of the two")
PROBLEM(COUNTER_REFUSED, 9, "counter-refused", FAULT,
	"a group counter above the maximum was refused",
	"electctl status; find the host that sends it")
PROBLEM(GROUP_FULL, 10, "group-full", FAULT, "the group is full: a host was refused",
	"use another domain for some of the hosts")
PROBLEM(NAME_CLASH, 15, "name-clash", FAULT, "two hosts of this group have the same name",
	"electctl members shows their addresses; on one: sudo hostnamectl set-hostname ANOTHER, or "
	"if electd.conf sets node.name, change it there and sudo systemctl reload electd")
PROBLEM(STATE_OLD, 12, "state-old", FAULT,
	"the state folder is an older copy: another host knows of later starts of this host",
	"exclude /var/lib/electd from backups; if this host has no older copy, check the host that "
	"reports it")
PROBLEM(UNHEARD, 11, "nobody-heard", FAULT,
	"the network link is back, but no other host was heard since: this host waits before it "
	"leads",
	"electctl status in half a minute; if the problem remains, check the port of the switch")
PROBLEM(QUORUM_DIFFERS, 13, "quorum-differs", FAULT, "a host of this domain has another quorum",
	"sudo electd --print-config | grep quorum on each host; set the same value on all hosts")
PROBLEM(LIST_UNTAKEN, 14, "list-untaken", FAULT,
	"a host does not take the membership list: something may drop large or certain packets",
	"electctl members names the host; there: ip link, for its MTU, and sudo electctl doctor")
PROBLEM(COUNTER_PUSHED, 16, "counter-pushed", FAULT,
	"other hosts advance the group counter faster than any election does",
	"electctl status names the host: check it")
PROBLEM(COUNTER_HALF, 17, "counter-half", FAULT, "half of all group counters are used up",
	"man electd, BEGINNING ANEW")
PROBLEM(CANNOT_FORM, 18, "cannot-form", FAULT,
	"this host cannot form a group: no group counter is left, or none is reserved",
	"journalctl -t electd -n 20")
PROBLEM(OWN_DEFECT, 21, "own-defect", FAULT,
	"electd found a defect of its own, gave up its role and began anew",
	"journalctl -t electd -b | grep 'defect of electd'; report that line; sudo systemctl "
	"restart electd")
PROBLEM(KERNEL_SILENT, 19, "kernel-silent", HINT,
	"early suspicion is off: the kernel of the coordinator's host does not answer",
	"on the coordinator: allow TCP to ports 7544 to 7575, where no program needs to listen")

#undef PROBLEM
