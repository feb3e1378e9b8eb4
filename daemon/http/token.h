/*
 * http/token.h: the secret that opens the API over TCP, and how a browser comes
 * to it. A token lives as long as its daemon, in memory alone. What starts a
 * browser shows the address to everyone on the machine (`ps`), so the address it
 * is given has a code instead, which leads to the token once.
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
#define CODES_MAX 8			/* asked for and not taken yet */

struct codes {
	struct {
		char text[CODE_TEXT + 1];	/* "": free */
		uint64_t until_ns;
	} code[CODES_MAX];
};

/* token_make(token, e): a new random token (TOKEN_TEXT + 1 bytes). -1 with
 * ${e} set if the system gives no random numbers. */
int token_make(char *token, struct error *e);

/* code_issue(c, now_ns, out, e): a new code (CODE_TEXT + 1 bytes), good from
 * ${now_ns} (monotonic) for CODE_LIFE_NS; the oldest goes when there are too
 * many. -1 as token_make. */
int code_issue(struct codes *c, uint64_t now_ns, char *out, struct error *e);

/* code_holds(c, now_ns, text): is ${text} such a code? code_take: the same, and
 * it is none any more. The time they take says nothing about the digits. */
bool code_holds(const struct codes *c, uint64_t now_ns, const char *text);
bool code_take(struct codes *c, uint64_t now_ns, const char *text);

#endif
