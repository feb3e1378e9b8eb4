/*
 * cli/orphans.h: ends what a killed program has left running. A debugger that
 * is killed leaves its program; nobody else would end that.
 */
#ifndef CADV_CLI_ORPHANS_H
#define CADV_CLI_ORPHANS_H

#include <stdbool.h>

/* orphans_adopt(on): descendants whose parent ends become our children, not
 * init's. Must not be on when a daemon is started that is to outlive us. */
void orphans_adopt(bool on);

/* orphans_kill(): kill every child of ours, and in turn their children, and
 * wait for them; gives up after a while (two seconds). */
void orphans_kill(void);

#endif
