/*
 * cli/baseline.h: baselines, which later runs are compared with: a small file
 * with the documents of one run or more. A name without a slash that does not
 * end in ".json" is one in the state directory, anything else a path.
 */
#ifndef CADV_CLI_BASELINE_H
#define CADV_CLI_BASELINE_H

#include <jansson.h>
#include <stdbool.h>

struct error;
struct sample_set;

#define BASELINE_VERSION 1

/* baseline_path(out, name, e): the file's path (PATH_MAX bytes). -1 with ${e} set. */
int baseline_path(char *out, const char *name, struct error *e);
/* baseline_save(name, s, e): write it, atomically replacing an existing file.
 * -1 with ${e} set. */
int baseline_save(const char *name, const struct sample_set *s, struct error *e);
/* baseline_load(name, e): its document, validated. New reference; NULL with
 * ${e} set: ERROR_NOT_FOUND, ERROR_INVALID, ERROR_TOO_NEW. */
json_t *baseline_load(const char *name, struct error *e);
/* baseline_directory(out, e): the directory of named baselines (PATH_MAX
 * bytes). -1 with ${e} set. */
int baseline_directory(char *out, struct error *e);

#endif
