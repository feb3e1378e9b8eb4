/*
 * cli/progress.h: one line on the person's terminal while something of ours takes
 * long. Only while no program of the person's can print: its output shares the
 * terminal, and a line drawn among it would disturb it.
 */
#ifndef CADV_CLI_PROGRESS_H
#define CADV_CLI_PROGRESS_H

struct cli;
struct progress;

/*
 * progress_begin(cli, text): from 0.3 s on standard error shows ${text} (ASCII)
 * and the seconds that have passed, until progress_end, which takes the line away.
 * Nothing of it, and NULL, where standard error is no terminal or a dumb one, with
 * --quiet, or if it cannot be had. One at a time.
 */
struct progress *progress_begin(const struct cli *cli, const char *text);
void progress_end(struct progress *p);

#endif
