/*
 * mapping.h: what the host's code addresses belong to: sends MAPPING for each
 * executable mapping of a file that contains one, and FRAME with the name from
 * the dynamic symbol table. Sender thread only.
 */
#ifndef CADV_MAPPING_H
#define CADV_MAPPING_H

#include <stddef.h>
#include <stdint.h>

/* mapping_send(address, n): send the MAPPING and FRAME of those of the ${n}
 * return addresses that are new; bounded. */
void mapping_send(const uint64_t *address, size_t n);

#endif
