/*
 * rules/evidence/parameters.h: what a kernel is given, by its name. Pure.
 */
#ifndef CADV_PARAMETERS_H
#define CADV_PARAMETERS_H

/*
 * parameters_pointers(name): the pointers among the parameters of a demangled name, as
 * "filter(float*, int)". -1: the name does not tell (NULL, no list), or there is one
 * that may have pointers inside: a structure, a pointer to pointers.
 */
int parameters_pointers(const char *name);

#endif
