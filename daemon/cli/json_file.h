/*
 * cli/json_file.h: the small JSON files that the command keeps for the person.
 */
#ifndef CADV_CLI_JSON_FILE_H
#define CADV_CLI_JSON_FILE_H

#include <jansson.h>

struct error;

/* json_file_write(path, j, e): replaces the file, whole or not at all. -1 with ${e}
 * (may be NULL) set. */
int json_file_write(const char *path, const json_t *j, struct error *e);

/* json_file_read(path, most, j): -1 with errno set if there is no such file. *${j} is a
 * new reference, or NULL if it is no JSON, no plain file, or has more than ${most}
 * bytes. */
int json_file_read(const char *path, long most, json_t **j);

#endif
