/*
 * mapping.h: tells the daemon to which file and function a code address of the host
 * belongs. Sends MAPPING for each executable mapping of a file that contains such an
 * address, and FRAME with the function's name from the dynamic symbol table. Sender
 * thread only.
 */
#ifndef CADV_MAPPING_H
#define CADV_MAPPING_H

#include <stddef.h>
#include <stdint.h>

/* mapping_send(address, n): send MAPPING and FRAME for those of the ${n} return
 * addresses that are new; bounded. */
void mapping_send(const uint64_t *address, size_t n);

#endif
