/*
 * capture/symbol_ask.h: looks addresses up in a process of its own. The files are
 * the user's, but the libraries that read them were not written for damaged
 * ones: what falls over there, or never ends, is the helper.
 */
#ifndef CADV_SYMBOL_ASK_H
#define CADV_SYMBOL_ASK_H

#include <stddef.h>
#include <stdint.h>

#include "capture/symbol_file.h"

#define SYMBOL_ANSWER (32u << 20)	/* bytes at most */

/* An address and the file that it is in. */
struct symbol_want {
	uint64_t address, process;	/* as FRAME says them */
	uint32_t mapping;
	uint64_t offset;		/* in the file, of the byte meant */
	const char *path;
	struct symbol_identity id;
	struct symbol_name name;	/* for the helper */
};

/*
 * symbol_ask(w, n, ns, len): FRAME records, one behind the other, about the ${n}
 * addresses, as many as were found in ${ns}; malloced, ${*len} bytes. NULL if
 * there is nothing. The last record may be cut. Reorders ${w}.
 */
uint8_t *symbol_ask(struct symbol_want *w, size_t n, uint64_t ns,
    size_t *len);

#endif
