/* base/utf8.h: UTF-8 that may be malformed. Pure. */
#ifndef CADV_UTF8_H
#define CADV_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes (1..4) of the well-formed character at ${s}, or 0 if the first of the ${len} >
 * 0 bytes begin none. Overlong forms and surrogates are not well-formed. */
size_t utf8_length(const char *s, size_t len);
/* utf8_valid(s, len): whether the ${len} bytes are well-formed UTF-8. */
bool utf8_valid(const char *s, size_t len);

/* The character's code point; ${n} comes from utf8_length. */
uint32_t utf8_code(const char *s, size_t n);

/* Columns of the text on a terminal. A byte that is not valid UTF-8 counts 1. */
size_t utf8_columns(const char *s, size_t len);

#endif
