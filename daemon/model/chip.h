/*
 * model/chip.h: GPUs whose ceilings were measured before the product shipped, a file
 * of config/chips each. What depends on the host (launches, copies) is not in them.
 */
#ifndef CADV_CHIP_H
#define CADV_CHIP_H

#include <stdbool.h>

struct ceilings;
struct device;

/* chip_ceilings(c, d): put what other GPUs of ${d}'s model reach into ${c}, which
 * ceilings_default has filled. False, and ${c} untouched, where none was measured,
 * or ${d} is a part of one (MIG). */
bool chip_ceilings(struct ceilings *c, const struct device *d);

#endif
