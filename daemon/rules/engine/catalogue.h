/*
 * rules/engine/catalogue.h: the catalogue's JSON as it was compiled in, for the test
 * that holds it against the table.
 */
#ifndef CADV_CATALOGUE_H
#define CADV_CATALOGUE_H

#include <stddef.h>

/* catalogue_text(len): ${len} bytes of JSON, terminated. */
const char *catalogue_text(size_t *len);

#endif
