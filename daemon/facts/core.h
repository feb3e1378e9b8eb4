/*
 * facts/core.h: CUDA's C++ core libraries, which are header-only and therefore compiled
 * into the program.
 */
#ifndef CADV_CORE_H
#define CADV_CORE_H

/* How the names of their functions and types begin: their namespaces. */
#define CORE_SPACES "thrust::", "cub::", "cuda::"

#endif
