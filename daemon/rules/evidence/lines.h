/*
 * rules/evidence/lines.h: where in the program a finding is: the source lines that make
 * it up, and the place on the host that launches the kernel or makes the call.
 */
#ifndef CADV_LINES_H
#define CADV_LINES_H

#include "rules/evidence/inst.h"

/* What a finding counts at one instruction. */
struct mark {
	double weight;		/* its part of the finding: ≥ 0 */
	double over, under;	/* a line's value is sum of over / of under */
};

/* marks_new(x): one for each instruction of the view's kernel, zeroed; NULL
 * without memory, and then without harm. Release with free. */
struct mark *marks_new(const struct rule_view *x);

/*
 * lines_fill(x, d, m, what): the heaviest lines become d->f.hot[], and the
 * first of them the finding's location. ${what} is a format with one %s for
 * the line's value: "%s sectors a request"; NULL: share alone. ${m} may be
 * NULL.
 */
void lines_fill(const struct rule_view *x, struct draft *d,
    const struct mark *m, const char *what);

/* lines_settle(x, d, m, what): lines_fill, the next measurement at these lines, and
 * rule_settle. */
enum rule_state lines_settle(struct rule_view *x, struct draft *d,
    const struct mark *m, const char *what);

/* lines_stalled(x, d, mask): the lines where warps waited most for a reason in
 * ${mask}; nothing without samples. */
void lines_stalled(const struct rule_view *x, struct draft *d, uint32_t mask);

/* lines_loads(x, d): the lines whose global loads ask for most; nothing where
 * instructions were not counted. */
void lines_loads(const struct rule_view *x, struct draft *d);

/* lines_time(x, d): the lines that take the most time, by samples or, without,
 * by executed instructions. */
void lines_time(const struct rule_view *x, struct draft *d);

/* lines_site(x, d, calls): where the program makes most of the calls in
 * ${calls}, a set of 1ull << enum wire_call. A finding about the run without one
 * says that call sites are not known. */
void lines_site(const struct rule_view *x, struct draft *d, uint64_t calls);

#define CALL_BIT(c) (1ull << CALL_##c)

/* lines_python(run): is the program, or a process of it, an interpreter of Python?
 * Where the places of its calls are not known, its file's name tells. */
bool lines_python(const struct run *run);

/* lines_launch(x, d, kernel): where most launches of kernel id ${kernel} are. */
void lines_launch(const struct rule_view *x, struct draft *d, uint32_t kernel);

/* lines_finish(x, d): the launch site of a kernel's finding, and why there is
 * no line where there is none. For every draft, by the engine. */
void lines_finish(const struct rule_view *x, struct draft *d);

#endif
