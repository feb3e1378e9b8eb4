/*
 * model/shipped.h: GPUs whose ceilings were measured before the product shipped, a file
 * of config/chips each. Ceilings that depend on the host (launches, copies) are not in
 * these files.
 */
#ifndef CADV_SHIPPED_H
#define CADV_SHIPPED_H

#include <stdbool.h>

struct ceilings;
struct device;

/* shipped_ceilings(c, d): put the ceilings shipped for ${d}'s model into ${c}, which
 * ceilings_default has filled. False, and ${c} untouched, if no GPU of that model was
 * measured, or ${d} is a slice of one (MIG). */
bool shipped_ceilings(struct ceilings *c, const struct device *d);

/* shipped_model(name): was a GPU of that name measured? */
bool shipped_model(const char *name);

#endif
