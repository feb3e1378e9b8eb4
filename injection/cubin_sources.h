/*
 * cubin_sources.h: sends the source files that a cubin's line table names. They are
 * sent during the run, because they may be edited before the report is read.
 */
#ifndef CADV_CUBIN_SOURCES_H
#define CADV_CUBIN_SOURCES_H

#include <stddef.h>
#include <stdint.h>

/*
 * cubin_sources_send(image, size): send the readable regular files that the line table
 * of ${image} names, each once per process: at most 1 MiB a file, 16 MiB and 512 files
 * in all. Of headers of the toolkit and the system only the name is sent. Sender thread
 * only.
 */
void cubin_sources_send(const uint8_t *image, size_t size);

#endif
