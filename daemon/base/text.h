/*
 * base/text.h: the few string helpers that libc lacks, and C++ names for
 * people. Pure; any thread.
 */
#ifndef CADV_TEXT_H
#define CADV_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* text_copy(out, cap, s): copy ${s}, cut to fit ${cap} with its terminator (at
 * a UTF-8 boundary). Returns 0, or -1 if it was cut. */
int text_copy(char *out, size_t cap, const char *s);

/* text_plural(noun, len): what makes the plural of the first *${len} bytes of a
 * regular ${noun}: an ending, before which *${len} of them stay ("y" goes). */
const char *text_plural(const char *noun, size_t *len);

/* text_u64(s, min, max, out): parse decimal digits and nothing else; -1 if it
 * is not a number in [min, max]. */
int text_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out);

/* text_double(s, min, max, out): the same for a finite decimal number. */
int text_double(const char *s, double min, double max, double *out);

/* text_instant(s, ns): "2026-11-20", "2026-11-20T13:26:15.5Z" (UTC, from 1970 on) as
 * ns of CLOCK_REALTIME; -1. */
int text_instant(const char *s, int64_t *ns);

/* text_is_hex(s, digits): exactly ${digits} lower-case hex digits. */
bool text_is_hex(const char *s, size_t digits);

/* text_clean(s, len): make the ${len} bytes at ${s} valid UTF-8 without control
 * characters: each byte that is not becomes '?'. For text from outside before
 * it goes into JSON or onto a terminal. */
void text_clean(char *s, size_t len);

/* text_dup_clean(p, len): a terminated, cleaned copy (text_clean); NULL
 * without memory. */
char *text_dup_clean(const char *p, size_t len);

/* text_shorten(out, cap, demangled): the name for a table: without return type,
 * namespaces, template arguments and parameters. "void at::f<int>(float*)"
 * gives "f". Cut to ${cap}. */
void text_shorten(char *out, size_t cap, const char *demangled);

#endif
