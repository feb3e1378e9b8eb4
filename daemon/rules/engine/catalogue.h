/*
 * rules/engine/catalogue.h: the catalogue's JSON as it was compiled in, for the
 * test that compares it with the table.
 */
#ifndef CADV_CATALOGUE_H
#define CADV_CATALOGUE_H

#include <stddef.h>

/* catalogue_text(len): the JSON, NUL-terminated, static; *${len}: its bytes
 * without the NUL. */
const char *catalogue_text(size_t *len);

#endif
