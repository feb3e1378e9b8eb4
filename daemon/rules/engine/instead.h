/*
 * rules/engine/instead.h: evaluating a rule on estimates for what was not
 * measured of a kernel.
 */
#ifndef CADV_INSTEAD_H
#define CADV_INSTEAD_H

#include "rules/engine/rule.h"

/* Lowers what a draft claims to what its estimates support. */
typedef void instead_weaken(const struct rule_view *x, struct draft *d);

/* instead_counted(k, e): was the metric of evidence ${e} counted for ${k} after all? */
bool instead_counted(const struct kernel *k, const struct evidence *e);

/* instead_lacked(k, e): is it a metric, and was it not? */
bool instead_lacked(const struct kernel *k, const struct evidence *e);

/*
 * instead_ask(x, rule, k, load, weaken): call ${rule} with the estimated kernel
 * ${k} and its ${load} in the view; x->own is the real kernel meanwhile. Each
 * draft gets a copy of ${load}, which may be freed afterwards, and is passed to
 * ${weaken}. Returns RULE_FOUND with drafts, else RULE_NOT_MEASURED: estimates
 * do not prove that there is nothing.
 */
enum rule_state instead_ask(struct rule_view *x, rule_function *rule,
    const struct kernel *k, const struct load *load, instead_weaken *weaken);

#endif
