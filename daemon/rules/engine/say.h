/*
 * rules/engine/say.h: phrases of findings: numbers as base/number.h writes them,
 * launch shapes, and commands quoted for a shell. All strings are in the arena. Pure.
 */
#ifndef CADV_SAY_H
#define CADV_SAY_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/engine/arena.h"

struct kernel;
struct run;

const char *say_plain(struct arena *a, double v);	/* "8.03", "212" */
const char *say_times(struct arena *a, double v);	/* "4.57×" */
const char *say_seconds(struct arena *a, double s);	/* "4.1 µs" */
const char *say_bytes(struct arena *a, double bytes);	/* "8.39 MB" */
const char *say_rate(struct arena *a, double bytes_per_s); /* "11 GB/s" */
const char *say_percent(struct arena *a, double ratio);	/* "91 %" */
const char *say_count(struct arena *a, uint64_t n);	/* "20,000" */
const char *say_whole(struct arena *a, double n);	/* the same, rounded */

/* "1 copy", "20,000 copies": for a regular noun. */
const char *say_counted(struct arena *a, double n, const char *noun);

/* "grid 256 × 4, block 32" */
const char *say_launch(struct arena *a, const uint32_t grid[3],
    const uint32_t block[3]);

/* "grid 256 × 4, block 32, 20,000 launches" */
const char *say_shape(struct arena *a, const struct kernel *k);

/* "grid 128 to 8192, block 32, 6 launch shapes, 12,006 launches": of ${n}
 * kernels of one function. */
const char *say_shapes(struct arena *a, const struct kernel *const *k, size_t n);
/* The same for several functions, preceded by their number. */
const char *say_functions(struct arena *a, const struct kernel *const *k,
    size_t n);

/*
 * say_command(a, run): the program and its arguments as a shell line. Text in
 * which a shell would see more than words is quoted word by word.
 */
const char *say_command(struct arena *a, const struct run *run);

/* Command lines of the next measurement. ${options} are ours. */
const char *say_ncu(struct arena *a, const struct run *run,
    const struct kernel *k, const char *options);
/* say_next(a, run, k, next): the command with which a chapter's ${next} begins,
 * for kernel ${k} or (NULL) the whole run; NULL if it begins with none.
 * say_tool(a, run, tool): ${tool} followed by the program's command line. */
const char *say_next(struct arena *a, const struct run *run,
    const struct kernel *k, const char *next);
const char *say_tool(struct arena *a, const struct run *run, const char *tool);

#endif
