/*
 * module.h: the device code of this process. Cubins are copied when they are loaded,
 * and sent on request: those of measured kernels and, at levels that keep sources, the
 * files that their line tables name.
 *
 * At level trace nothing is kept. Memory is bounded: a cubin of more than 32 MiB, or
 * beyond 64 MiB in all (256 MiB if instructions are counted), is not kept, and its
 * kernels have no lines. Beyond 96 MiB sent, a cubin is withheld and marked so.
 */
#ifndef CADV_MODULE_H
#define CADV_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

/* module_loaded(d, device): in the resource callback: copy the cubin. */
void module_loaded(const CUpti_ModuleResourceData *d, uint32_t device);

/* module_want(cubin): have the cubin with CUPTI's checksum ${cubin} sent. Any
 * thread. */
void module_want(uint64_t cubin);

/*
 * module_find(function): the id (CUPTI's checksum) of the only cubin with a kernel
 * ${function} (mangled name), which is then sent. 0 if no cubin or several have it, or
 * it may not be sent: of kernels that were not measured, up to 16 MiB are sent in all.
 * Sender thread only.
 */
uint64_t module_find(const char *function);

/* module_send(): send some of the requested cubins, a few MiB. True if there is more to
 * send when the queue is empty. Sender thread only. */
bool module_send(void);

#endif
