/*
 * rules/engine/instead.h: a rule asked about estimates in the place of what was not
 * measured of a kernel.
 */
#ifndef CADV_INSTEAD_H
#define CADV_INSTEAD_H

#include "rules/engine/rule.h"

/* Lowers what a draft claims to what its estimates support. */
typedef void instead_weaken(const struct rule_view *x, struct draft *d);

/* instead_counted(k, e): was what ${e} rests on counted of ${k} after all? */
bool instead_counted(const struct kernel *k, const struct evidence *e);

/*
 * instead_ask(x, rule, k, load, weaken): call ${rule} with the estimated kernel ${k}
 * and its ${load} as the view's; the kernel itself is x->own meanwhile. Each draft
 * of it gets a copy of ${load}, which may go afterwards, and is weakened.
 * RULE_FOUND with drafts, else RULE_NOT_MEASURED: estimates do not show that
 * nothing is there.
 */
enum rule_state instead_ask(struct rule_view *x, rule_function *rule,
    const struct kernel *k, const struct load *load, instead_weaken *weaken);

#endif
