/*
 * rules/evidence/parameters.h: a kernel's parameters, from its name. Pure.
 */
#ifndef CADV_PARAMETERS_H
#define CADV_PARAMETERS_H

/*
 * parameters_pointers(name): the number of pointers among the parameters of a demangled
 * name, as in "filter(float*, int)". -1: the name does not tell (NULL, no parameter
 * list), or a parameter may contain pointers: a structure, a pointer to pointers.
 */
int parameters_pointers(const char *name);

#endif
