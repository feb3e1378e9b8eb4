/*
 * cli/progress.h: one line on the user's terminal while something of ours takes
 * long. Only while none of the user's programs can print: they share the
 * terminal, and the line would disturb their output.
 */
#ifndef CADV_CLI_PROGRESS_H
#define CADV_CLI_PROGRESS_H

struct cli;
struct progress;

/*
 * progress_begin(cli, text): after 0.3 s, show ${text} (ASCII) and the elapsed
 * seconds on standard error, until progress_end, which removes the line. NULL,
 * and no line, if standard error is no terminal or a dumb one, with --quiet, or
 * if the thread cannot be created. One at a time.
 */
struct progress *progress_begin(const struct cli *cli, const char *text);
void progress_end(struct progress *p);

#endif
