/*
 * module.h: the device code of this process, kept as it was loaded, and sent
 * when somebody asks for it: cubins of measured kernels, and the text of the
 * source files that their line tables name.
 *
 * Memory is bounded: a cubin over 32 MiB, or past 256 MiB of them, is not kept,
 * and its kernels have no lines; past 96 MiB that were sent, one is withheld and
 * said to be.
 */
#ifndef CADV_MODULE_H
#define CADV_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "cupti_api.h"

/* module_loaded(d, device): from the resource callback; copies the cubin. */
void module_loaded(const CUpti_ModuleResourceData *d, uint32_t device);

/* module_want(cubin): the cubin that CUPTI calls ${cubin} is to be sent. Any
 * thread; the rest is the sender's. */
void module_want(uint64_t cubin);

/*
 * module_find(function): the id that CUPTI gives to the only cubin in which
 * there is a kernel ${function} (mangled), and have it sent. 0 if there is none
 * or several, or none that is sent for the asking: of those that nobody measured
 * up to 16 MiB. Sender thread only.
 */
uint64_t module_find(const char *function);

/* module_send(): some of what was asked for, a few MiB. True if there is more:
 * once the queue is empty again. */
bool module_send(void);

#endif
