/*
 * source/tool.h: one run of the disassembler over one file. Internal to source/.
 */
#ifndef CADV_SOURCE_TOOL_H
#define CADV_SOURCE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disassembler;
struct error;
struct listing;

#define TOOL_OLDEST 70u		/* sm_70: instructions were 8 bytes long
				 * before */

/* tool_file(path, bytes, size, e): write ${bytes} into a new file with mode
 * 0600; its path (PATH_MAX bytes) in ${path}, "" on failure. Unlink it. */
int tool_file(char *path, const uint8_t *bytes, size_t size,
    struct error *e);

/*
 * tool_run(d, argv, json, l, e): run the tool and parse its output, JSON or
 * text. 0; 1 with ${e}: it ran, but its output is invalid; -1 with ${e}: it
 * failed, or exceeded a limit.
 */
int tool_run(const struct disassembler *d, char *const argv[], bool json,
    struct listing *l, struct error *e);

#endif
