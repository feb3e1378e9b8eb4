/*
 * rules/evidence/texts.h: where the lines of a run's source files begin. Findings show
 * hot lines, five at most of each kernel: each file is read once for all of them.
 */
#ifndef CADV_TEXTS_H
#define CADV_TEXTS_H

#include <stddef.h>
#include <stdint.h>

struct run;
struct texts;

/* texts_new(run): of ${run}, which must outlive it. NULL without memory. */
struct texts *texts_new(const struct run *run);

/* texts_free(t): ${t} may be NULL. */
void texts_free(struct texts *t);

/* texts_line(t, run, file, n, len): line ${n}, from 1, of run->source_file[file] without
 * its end, ${len} bytes; NULL if there is none. ${t} may be NULL: then the file is read
 * from its start. */
const char *texts_line(struct texts *t, const struct run *run, size_t file,
    uint32_t n, size_t *len);

#endif
