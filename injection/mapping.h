/*
 * mapping.h: what lies at the host's code addresses: sends MAPPING for each
 * file mapped executable that holds one, and FRAME with what the dynamic
 * symbol table says. Sender thread only.
 */
#ifndef CADV_MAPPING_H
#define CADV_MAPPING_H

#include <stddef.h>
#include <stdint.h>

/* mapping_send(address, n): say what the ${n} return addresses are, those that
 * are new; bounded. */
void mapping_send(const uint64_t *address, size_t n);

#endif
