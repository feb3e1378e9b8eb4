/*
 * model/shipped.h: GPUs whose ceilings were measured before the product shipped, a file
 * of config/chips each. What depends on the host (launches, copies) is not in them.
 */
#ifndef CADV_SHIPPED_H
#define CADV_SHIPPED_H

#include <stdbool.h>

struct ceilings;
struct device;

/* shipped_ceilings(c, d): put what other GPUs of ${d}'s model reach into ${c}, which
 * ceilings_default has filled. False, and ${c} untouched, where none was measured,
 * or ${d} is a part of one (MIG). */
bool shipped_ceilings(struct ceilings *c, const struct device *d);

/* shipped_model(name): was a GPU of that name measured? */
bool shipped_model(const char *name);

#endif
