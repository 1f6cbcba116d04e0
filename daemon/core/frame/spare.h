/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spare: by which family the beacons of a coordinator go (links.md, Two families).
 */
#ifndef ELECTD_CORE_FRAME_SPARE_H
#define ELECTD_CORE_FRAME_SPARE_H

#include "state.h"

/* Notes by which families a member reports that it hears this host. */
void spare_heard(struct elect *e, const struct elect_msg *m);
/* A sign of a fault: beacons go by both families for SPARE_BEACONS at least. */
void spare_trouble(struct elect *e);
/* A member asks whether this host lives. True: one family was spared, so a beacon by both must go
   out now. */
bool spare_asked(struct elect *e);
/* Decides about one beacon to all. `quiet`: the algorithm knows of nothing that shows a fault. */
void spare_beacon(struct elect *e, struct elect_send *beacon, bool quiet);

#endif
