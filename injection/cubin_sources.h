/*
 * cubin_sources.h: the source files that a cubin's line table names, sent as they are
 * now: the file a person edits tomorrow is not the one that ran.
 */
#ifndef CADV_CUBIN_SOURCES_H
#define CADV_CUBIN_SOURCES_H

#include <stddef.h>
#include <stdint.h>

/*
 * cubin_sources_send(image, size): send the readable regular files that the line
 * table of ${image} names, each once a process; at most 1 MiB a file, 16 MiB
 * and 512 files in all; of the toolkit's and the system's headers the name. Sender thread only.
 */
void cubin_sources_send(const uint8_t *image, size_t size);

#endif
