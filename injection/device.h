/* device.h: the limits of each GPU, from CUPTI's record and driver attributes. */
#ifndef CADV_DEVICE_H
#define CADV_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cupti_api.h"

/* device_announce(d): send DEVICE for ${d}, once per device, and report what limits the
 * counters of a shared device (MIG, MPS). Any thread. */
void device_announce(const CUpti_ActivityDevice5 *d);

/* device_peer_enabled(device, peer): the program enabled access from ${device} to the
 * memory of ${peer}: send PEER now, or when both devices are announced. Any thread. */
void device_peer_enabled(uint32_t device, uint32_t peer);

/* device_used(device): the program uses that GPU. device_several(): whether it has used
 * more than one. Any thread. */
void device_used(uint32_t device);
bool device_several(void);

/* device_uuid(device, out): the GPU's UUID as 32 hex digits; zeros if the
 * driver does not return it. */
void device_uuid(uint32_t device, char out[33]);

/* device_chip(device, out, size): CUPTI's name of the chip, such as "GH100". 0; -1 if
 * it is not known. */
int device_chip(uint32_t device, char *out, size_t size);

#endif
