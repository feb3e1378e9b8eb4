/*
 * http/token.h: the token that the API requires over TCP, and how a browser gets it. A
 * token is in memory only and lives as long as its daemon. The command line of a
 * browser is visible to all users (`ps`), so the address on it has a code instead,
 * which can be exchanged for the token once.
 */
#ifndef CADV_HTTP_TOKEN_H
#define CADV_HTTP_TOKEN_H

#include "http/guard.h"

#include <stdint.h>

struct error;

#define CODE_BYTES 16
#define CODE_TEXT (CODE_BYTES * 2)	/* hex digits */
#define CODE_LIFE_NS 120000000000ull	/* a browser with many tabs, started
					 * from a cold disk, takes a minute */
#define CODES_MAX 8			/* issued and not yet used */

struct codes {
	struct {
		char text[CODE_TEXT + 1];	/* "": free */
		uint64_t until_ns;
	} code[CODES_MAX];
};

/* token_make(token, e): write a new random token (TOKEN_TEXT + 1 bytes). 0; -1 with
 * ${e} set if there are no random numbers. */
int token_make(char *token, struct error *e);

/* code_issue(c, now_ns, out, e): write a new code (CODE_TEXT + 1 bytes), valid from
 * ${now_ns} (monotonic) for CODE_LIFE_NS. If there are CODES_MAX the oldest becomes
 * invalid. 0; -1 as token_make. */
int code_issue(struct codes *c, uint64_t now_ns, char *out, struct error *e);

/* code_holds(c, now_ns, text): whether ${text} is a valid code. code_take: the same,
 * and the code becomes invalid. Both take constant time in the digits. */
bool code_holds(const struct codes *c, uint64_t now_ns, const char *text);
bool code_take(struct codes *c, uint64_t now_ns, const char *text);

#endif
