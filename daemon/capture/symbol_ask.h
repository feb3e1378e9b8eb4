/*
 * capture/symbol_ask.h: looks up addresses in a child process. The files belong to the
 * user, but the libraries that read them are not made for damaged files: a crash or an
 * endless loop is then in the child only.
 */
#ifndef CADV_SYMBOL_ASK_H
#define CADV_SYMBOL_ASK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/symbol_file.h"

#define SYMBOL_ANSWER (32u << 20)	/* bytes at most */

/* An address and its file. */
struct symbol_want {
	uint64_t address, process;	/* as in FRAME */
	uint32_t mapping;
	uint64_t offset;		/* offset of the address in the file */
	const char *path;
	struct symbol_identity id;
	struct symbol_name name;	/* used by the helper */
};

/*
 * symbol_ask(w, n, ns, len): the FRAME records of those of the ${n} addresses that were
 * found within ${ns}; malloced, *${len} bytes. NULL if there are none. The last record
 * may be incomplete. Reorders ${w}.
 */
uint8_t *symbol_ask(struct symbol_want *w, size_t n, uint64_t ns,
    size_t *len);

#endif
