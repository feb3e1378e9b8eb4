/*
 * cli/baseline.h: what runs are held against later: a small file with the documents
 * of one run or more. A name without a slash that does not end in ".json" is one in
 * the state directory, anything else a path.
 */
#ifndef CADV_CLI_BASELINE_H
#define CADV_CLI_BASELINE_H

#include <jansson.h>
#include <stdbool.h>

struct error;
struct sample_set;

#define BASELINE_VERSION 1

/* baseline_path(out, name, e): where it is (PATH_MAX bytes). */
int baseline_path(char *out, const char *name, struct error *e);
/* baseline_save(name, s, e): replaces what was there, whole or not at all. */
int baseline_save(const char *name, const struct sample_set *s, struct error *e);
/* baseline_load(name, e): its document, checked. New reference; NULL with ${e} set:
 * ERROR_NOT_FOUND, ERROR_INVALID, ERROR_TOO_NEW. */
json_t *baseline_load(const char *name, struct error *e);
/* baseline_directory(out, e): where named ones are. */
int baseline_directory(char *out, struct error *e);

#endif
