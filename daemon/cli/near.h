/*
 * cli/near.h: the word that a mistyped one was probably meant to be.
 */
#ifndef CADV_CLI_NEAR_H
#define CADV_CLI_NEAR_H

#include <stddef.h>

/*
 * near_word(typed, words, n): the first of the ${n} words that begins with
 * ${typed} (two letters or more), else the one with the smallest optimal string
 * alignment distance: 1, or up to 2 if ${typed} has five letters or more. NULL
 * if there is none. Points into ${words}.
 */
const char *near_word(const char *typed, const char *const *words, size_t n);

#endif
