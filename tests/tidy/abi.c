/* SPDX-License-Identifier: Apache-2.0 */
/*
 * abi: what programs that were compiled with an earlier electd.h rely on: sizes, places and
 * numbers. New members go to the end of a struct, new numbers to the end of an enumeration; only
 * the sizes of the structs may grow. abi.sh compiles this file as C99 and as C++; nothing runs it.
 */
#include "electd.h"

/* Another value makes the size of an array negative. */
#define PIN(name, is, pinned)	  typedef char pin_##name[(is) == (pinned) ? 1 : -1]
#define SIZE(type, pinned)	  PIN(type, sizeof(struct type), pinned)
#define PLACE(type, name, pinned) PIN(type##_##name, offsetof(struct type, name), pinned)
#define NUMBER(name, pinned)	  PIN(name, name, pinned)

#if UINTPTR_MAX > 0xffffffff
SIZE(electd_options, 40);
PLACE(electd_options, size, 0);
PLACE(electd_options, socket, 8);
PLACE(electd_options, instance, 16);
PLACE(electd_options, name, 24);
PLACE(electd_options, rank, 32);

SIZE(electd_event, 472);
PLACE(electd_event, size, 0);
PLACE(electd_event, type, 8);
PLACE(electd_event, role, 12);
PLACE(electd_event, error, 16);
PLACE(electd_event, token, 24);
PLACE(electd_event, until_boot_ms, 32);
PLACE(electd_event, ending_ms, 40);
PLACE(electd_event, group, 48);
PLACE(electd_event, leader, 144);
PLACE(electd_event, leader_id, 208);
PLACE(electd_event, leader_address, 248);
PLACE(electd_event, reason, 312);
PLACE(electd_event, purpose, 344);
PLACE(electd_event, words, 376);

SIZE(electd_report, 40);
PLACE(electd_report, size, 0);
PLACE(electd_report, name, 8);
PLACE(electd_report, words, 16);
PLACE(electd_report, well, 24);
PLACE(electd_report, leading, 25);
PLACE(electd_report, fall, 28);
PLACE(electd_report, rise, 32);
PLACE(electd_report, stale_ms, 36);
#endif

NUMBER(ELECTD_NAME_SIZE, 64);
NUMBER(ELECTD_ID_SIZE, 40);
NUMBER(ELECTD_ADDRESS_SIZE, 64);
NUMBER(ELECTD_GROUP_SIZE, 96);
NUMBER(ELECTD_WORD_SIZE, 32);

NUMBER(ELECTD_RANK_HOOK, 0);
NUMBER(ELECTD_RANK_ADDRESS, 1);

NUMBER(ELECTD_SNAPSHOT, 0);
NUMBER(ELECTD_LEADER, 1);
NUMBER(ELECTD_FOLLOWER, 2);
NUMBER(ELECTD_NONE, 3);
NUMBER(ELECTD_MEMBERS, 4);
NUMBER(ELECTD_STATE, 5);
NUMBER(ELECTD_RELEASE, 6);
NUMBER(ELECTD_RELEASE_OVER, 7);
NUMBER(ELECTD_SILENT, 8);
NUMBER(ELECTD_BACK, 9);
NUMBER(ELECTD_LOST, 10);
NUMBER(ELECTD_REFUSED, 11);

NUMBER(ELECTD_ROLE_NONE, 0);
NUMBER(ELECTD_ROLE_FOLLOWER, 1);
NUMBER(ELECTD_ROLE_LEADER, 2);
