/*
 * facts/core.h: CUDA's C++ core libraries, which come as headers and are built with the
 * program.
 */
#ifndef CADV_CORE_H
#define CADV_CORE_H

/* Their namespaces, as names of functions and types begin. */
#define CORE_SPACES "thrust::", "cub::", "cuda::"

#endif
