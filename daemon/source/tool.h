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

#define TOOL_OLDEST 70u		/* sm_: before it instructions had 8 bytes */

/* tool_file(path, bytes, size, e): ${bytes} in a new file that nobody else can
 * read; its path (of PATH_MAX) in ${path}, "" if there is none. Unlink it. */
int tool_file(char *path, const uint8_t *bytes, size_t size,
    struct error *e);

/*
 * tool_run(d, argv, json, l, e): run it, read what it prints, JSON or text. 0;
 * 1 with ${e}: it ran, but that was no answer; -1 with ${e}: it did not, or went
 * over a limit.
 */
int tool_run(const struct disassembler *d, char *const argv[], bool json,
    struct listing *l, struct error *e);

#endif
