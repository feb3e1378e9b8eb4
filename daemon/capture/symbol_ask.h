/*
 * capture/symbol_ask.h: looks addresses up in a child process. The files are
 * the user's, but the libraries that read them are not made for damaged files:
 * a crash or an endless loop happens in the helper.
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
	uint64_t offset;		/* of the byte in the file */
	const char *path;
	struct symbol_identity id;
	struct symbol_name name;	/* for the helper */
};

/*
 * symbol_ask(w, n, ns, len): FRAME records, concatenated, for those of the ${n}
 * addresses that were found in ${ns}; malloced, ${*len} bytes. NULL if none.
 * The last record may be cut. Reorders ${w}.
 */
uint8_t *symbol_ask(struct symbol_want *w, size_t n, uint64_t ns,
    size_t *len);

#endif
