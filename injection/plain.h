/*
 * plain.h: the plain name of a function from its mangled name: the qualified name
 * without template arguments and parameters. Runs in the program, so it is linear in
 * the length and does not allocate; the C++ library's demangler takes exponential time
 * for some names.
 */
#ifndef CADV_PLAIN_H
#define CADV_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* plain_name(mangled, out, size): writes "a::b::kernel" for "_ZN1a1b6kernelIiEEvPT_"; a
 * name that is not mangled is copied. False, with "" in ${out}, if the name is too long
 * or of a kind that is not supported (above all a lambda in a function). */
bool plain_name(const char *mangled, char *out, size_t size);

#endif
