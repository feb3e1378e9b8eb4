/*
 * rules/evidence/lines.h: where in the program a finding is: its source lines,
 * and the place in the host code that launches the kernel or makes the call.
 */
#ifndef CADV_LINES_H
#define CADV_LINES_H

#include "rules/evidence/inst.h"

/* What a finding counts at one instruction. */
struct mark {
	double weight;		/* its part of the finding: ≥ 0 */
	double over, under;	/* a line's value is sum of over / of under */
};

/* marks_new(x): a zeroed mark for each instruction of the view's kernel; NULL
 * without memory, or without code. Release with free. */
struct mark *marks_new(const struct rule_view *x);

/*
 * lines_fill(x, d, m, what): the lines with the largest weights become d->f.hot[], the
 * first of them the finding's location. ${what}: a format with one %s for the line's
 * value, as "%s sectors a request"; NULL: only the share is shown. ${m} may be NULL.
 */
void lines_fill(const struct rule_view *x, struct draft *d,
    const struct mark *m, const char *what);

/* lines_settle(x, d, m, what): lines_fill, set the next measurement for these
 * lines, and rule_settle, whose state it returns. */
enum rule_state lines_settle(struct rule_view *x, struct draft *d,
    const struct mark *m, const char *what);

/* lines_stalled(x, d, mask): the lines with the most samples for a reason in
 * ${mask}; none without samples. */
void lines_stalled(const struct rule_view *x, struct draft *d, uint32_t mask);

/* lines_loads(x, d): the lines whose global loads request the most; none if
 * instructions were not counted. */
void lines_loads(const struct rule_view *x, struct draft *d);

/* lines_time(x, d): the lines with the most time, by samples, or without them by
 * executed instructions. */
void lines_time(const struct rule_view *x, struct draft *d);

/* lines_site(x, d, calls): the place where the program makes most of the calls in
 * ${calls}, a set of 1ull << enum wire_call. A finding about the run without
 * such a place says that call sites are not known. */
void lines_site(const struct rule_view *x, struct draft *d, uint64_t calls);

/* lines_site_of(x, d, calls, is): the same, of the places for which ${is} is true, if
 * there are any. */
void lines_site_of(const struct rule_view *x, struct draft *d, uint64_t calls,
    bool (*is)(const struct site *s));

/* lines_site_asked(x, d, is): the line of Python that makes most of the copies for which
 * ${is} is true (lines_reads, lines_feeds); without one the place stays as it is. */
void lines_site_asked(const struct rule_view *x, struct draft *d,
    bool (*is)(const struct site *s));

/* lines_reads(s), lines_feeds(s): is it a copy to the host, or to the GPU, as far as the
 * driver's function says so, that a line of Python asks for? */
bool lines_reads(const struct site *s);
bool lines_feeds(const struct site *s);

/* lines_moves(s): is it no copy within a device? */
bool lines_moves(const struct site *s);

#define CALL_BIT(c) (1ull << CALL_##c)

/* lines_python(run): is the program, or one of its processes, a Python interpreter?
 * Without call sites the executable's name decides. */
bool lines_python(const struct run *run);

/* lines_launched(run, kernel): the place of most launches of kernel id ${kernel}; NULL if
 * none is known. */
const struct site *lines_launched(const struct run *run, uint32_t kernel);

/* lines_launch(x, d, kernel): lines_launched becomes the finding's place. */
void lines_launch(const struct rule_view *x, struct draft *d, uint32_t kernel);

/* lines_finish(x, d): add the launch site of a kernel's finding, and the reason if
 * there is no line. The engine calls it for every draft. */
void lines_finish(const struct rule_view *x, struct draft *d);

#endif
