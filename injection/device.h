/* device.h: one GPU's limits, from CUPTI's record and driver attributes. */
#ifndef CADV_DEVICE_H
#define CADV_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

/* device_announce(d): send DEVICE for ${d}, once each, and say what limits the
 * counters of one that is shared (MIG, MPS). Any thread. */
void device_announce(const CUpti_ActivityDevice5 *d);

/* device_peer_enabled(device, peer): the program lets ${device} reach the memory
 * of ${peer}: send PEER, now or once both are announced. Any thread. */
void device_peer_enabled(uint32_t device, uint32_t peer);

/* device_uuid(device, out): what tells it from every other, as 32 hex digits; zeros
 * if the driver does not say. */
void device_uuid(uint32_t device, char out[33]);

/* device_chip(device, out, size): CUPTI's name of the chip, "GH100"; -1 if it
 * is not known. */
int device_chip(uint32_t device, char *out, size_t size);

#endif
