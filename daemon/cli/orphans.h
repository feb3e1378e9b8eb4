/*
 * cli/orphans.h: what a program that was ended has left running. A debugger that
 * is killed leaves its program; nobody else would end that.
 */
#ifndef CADV_CLI_ORPHANS_H
#define CADV_CLI_ORPHANS_H

#include <stdbool.h>

/* orphans_adopt(on): processes whose parent ends below us become our children,
 * not init's. Not before a daemon is started that is to outlive us. */
void orphans_adopt(bool on);

/* orphans_kill(void): kill every child of ours, and what those leave, and wait
 * for them; gives up after a while. */
void orphans_kill(void);

#endif
