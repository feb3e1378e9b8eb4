/*
 * cli/json_file.h: small JSON files in the user's state directory.
 */
#ifndef CADV_CLI_JSON_FILE_H
#define CADV_CLI_JSON_FILE_H

#include <jansson.h>

struct error;

/* json_file_write(path, j, e): write or atomically replace the file. -1 with
 * ${e} (may be NULL) set. */
int json_file_write(const char *path, const json_t *j, struct error *e);

/* json_file_read(path, most, j): 0; -1 with errno set if there is no such file.
 * *${j} is a new reference, or NULL if it is not JSON, not a regular file, or
 * has more than ${most} bytes. */
int json_file_read(const char *path, long most, json_t **j);

#endif
