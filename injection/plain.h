/*
 * plain.h: the plain name of a function, from its mangled name: its qualified
 * name without template arguments and parameters. Linear in the length and
 * without allocation, so that it can run in the program: the C++ library's
 * demangler takes exponential time for some names.
 */
#ifndef CADV_PLAIN_H
#define CADV_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* plain_name(mangled, out, size): "a::b::kernel" of "_ZN1a1b6kernelIiEEvPT_"; a
 * name that is not mangled as it is. False, with "" in ${out}, if the name is
 * of a kind that is not supported (above all a lambda in a function), or too
 * long. */
bool plain_name(const char *mangled, char *out, size_t size);

#endif
