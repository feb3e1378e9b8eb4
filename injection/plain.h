/*
 * plain.h: what a person calls a function, from its mangled name: its qualified
 * name, without template arguments and parameters. Linear in the name and in place,
 * so that it may be done in the program, where the C++ library's demangler, which
 * some names keep busy for ever, is left alone.
 */
#ifndef CADV_PLAIN_H
#define CADV_PLAIN_H

#include <stdbool.h>
#include <stddef.h>

/* plain_name(mangled, out, size): "a::b::kernel" of "_ZN1a1b6kernelIiEEvPT_", and a
 * name that is not mangled as it is. False if it is of a kind that is not known here
 * (a lambda in a function, above all), or too long; then ${out} is "". */
bool plain_name(const char *mangled, char *out, size_t size);

#endif
