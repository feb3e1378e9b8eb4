/*
 * module.h: the device code of this process, copied when it is loaded and sent
 * on request: the cubins of measured kernels and, at levels that keep sources, the
 * files that their line tables name.
 *
 * Nothing is kept at level trace. Memory is bounded: a cubin over 32 MiB, or past
 * 64 MiB in all (256 where instructions are counted), is not kept, and its
 * kernels have no lines; past 96 MiB sent, a cubin is withheld and marked so.
 */
#ifndef CADV_MODULE_H
#define CADV_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

/* module_loaded(d, device): from the resource callback: copies the cubin. */
void module_loaded(const CUpti_ModuleResourceData *d, uint32_t device);

/* module_want(cubin): request that the cubin with CUPTI's checksum ${cubin} is
 * sent. Any thread. */
void module_want(uint64_t cubin);

/*
 * module_find(function): the id (CUPTI's checksum) of the only cubin with a
 * kernel ${function} (mangled), which is then sent. 0 if no or several cubins
 * have it, or it may not be sent: of kernels that were not measured up to 16
 * MiB in all. Sender thread only.
 */
uint64_t module_find(const char *function);

/* module_send(): send some of the requested cubins, a few MiB. True if there is
 * more to send once the queue is empty. Sender thread only. */
bool module_send(void);

#endif
