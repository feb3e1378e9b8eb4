/*
 * pairs.h: the reference pairs, one for each practice. harness.h has struct job, which
 * says what was asked for, and what pairs share: memory, inputs, timing, checks.
 *
 * A pair is a file kernels/<practice>.cu, with dashes as underscores (built.cu: those
 * whose lesson is a flag). The rule of that name (daemon/rules/engine/rules.def) must
 * find its bad variant, and must not find its good one. Where the lesson is about a
 * line of code, a comment HERE stands at the end of each line of the bad variant that
 * the finding may name; in a header that several pairs include it is HERE <practice>
 * (NOWHERE: it must be found without a line). tests/rules/lines.sh compares.
 */
#ifndef CADV_PAIRS_H
#define CADV_PAIRS_H

struct job;

struct pair {
	const char *lesson;	/* without characters that JSON escapes */
	const char *metric;	/* what differs between the variants */
	int (*run)(struct job *job);
};

/*
 * PAIR(practice, "lesson", "metric that moves") { body }: define the pair of a
 * practice. The body has the argument job, and returns 0, or -1 if it failed.
 */
#define PAIR(practice, lesson, metric)					\
	static int run_##practice(struct job *job);			\
	extern const struct pair pair_##practice;			\
	const struct pair pair_##practice = {				\
		lesson, metric, run_##practice				\
	};								\
	static int run_##practice(struct job *job)

#endif
