/*
 * cli/near.h: which word was meant by one that there is not.
 */
#ifndef CADV_CLI_NEAR_H
#define CADV_CLI_NEAR_H

#include <stddef.h>

/*
 * near_word(typed, words, n): the first of the ${n} words that ${typed} (two
 * letters or more) begins, else the one that the fewest letters more, less,
 * other or swapped make of it: one, or two where it has five or more. NULL if
 * there is none. Points into ${words}.
 */
const char *near_word(const char *typed, const char *const *words, size_t n);

#endif
