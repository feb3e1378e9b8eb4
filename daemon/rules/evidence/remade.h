/*
 * rules/evidence/remade.h: was code that the program compiled made again, for other shapes,
 * or all of it for the first time? Pure.
 */
#ifndef CADV_REMADE_H
#define CADV_REMADE_H

#include "rules/engine/rule.h"

/* remade_again(c, i): was code for the kernel of ${c}'s ${i}-th compilation compiled
 * before? */
bool remade_again(const struct compiling *c, size_t i);

/*
 * remade_share(x, is): of the GPU's wait for compilations (run->compiling) the part in
 * which something was made again, 0..1: its kernel, or one of its name that the same line
 * of the program launches, had been compiled before. Those for which ${is} is false are
 * left out, and those whose kernel only a compiler launched, to try it out: it makes many
 * of one name for the first time. Nor do several graphs of one function, or its backward
 * pass, count for each other: they have other lines, or none.
 */
double remade_share(const struct rule_view *x,
    bool (*is)(const struct rule_view *x, size_t i));

#endif
