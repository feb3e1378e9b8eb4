/*
 * base/text.h: string helpers that libc lacks, and short C++ names for tables. Pure;
 * any thread.
 */
#ifndef CADV_TEXT_H
#define CADV_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text_copy(out, cap, s): copy ${s}, cut to fit ${cap} with its terminator (at
 * a UTF-8 boundary). Returns 0, or -1 if it was cut. */
int text_copy(char *out, size_t cap, const char *s);

/* text_plural(noun, len): the ending of the plural of a regular noun, the first *${len}
 * bytes of ${noun}. *${len} becomes the number of bytes to keep before the ending:
 * "copy" gives "ies" and 3. */
const char *text_plural(const char *noun, size_t *len);

/* text_u64(s, min, max, out): parse decimal digits and nothing else; 0, or -1 if ${s}
 * is not a number in [min, max]. */
int text_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* text_double(s, min, max, out): the same for a finite decimal number. */
int text_double(const char *s, double min, double max, double *out);

/* text_instant(s, ns): parse "2026-11-20" or "2026-11-20T13:26:15.5Z" (UTC, from 1970
 * on) into ns of CLOCK_REALTIME; 0, or -1. */
int text_instant(const char *s, int64_t *ns);

/* text_base_name(path): what follows the last '/'; all of it if nothing does. */
const char *text_base_name(const char *path);

/* text_is_hex(s, digits): exactly ${digits} lower-case hex digits. */
bool text_is_hex(const char *s, size_t digits);

/* text_clean(s, len): replace each byte of ${s} that is a control character or no valid
 * UTF-8 by '?'. For text from outside before it goes into JSON or onto a terminal. */
void text_clean(char *s, size_t len);

/* text_dup_clean(p, len): a terminated, cleaned copy (text_clean); NULL
 * without memory. */
char *text_dup_clean(const char *p, size_t len);

/* text_shorten(out, cap, demangled): the name for a table: without return type,
 * namespaces, template arguments, ABI tags and parameters. "void at::f<int>(float*)"
 * gives "f"; of "a::b::kernel" the innermost namespace or class stays: "b::kernel". Cut
 * to ${cap}. */
void text_shorten(char *out, size_t cap, const char *demangled);

#endif
