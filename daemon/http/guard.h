/*
 * http/guard.h: which clients are accepted over TCP. Pure functions over header
 * values; the unix socket checks its peer's credentials instead.
 */
#ifndef CADV_HTTP_GUARD_H
#define CADV_HTTP_GUARD_H

#include <stdbool.h>

#define TOKEN_BYTES 32			/* 256 bits */
#define TOKEN_TEXT (TOKEN_BYTES * 2)	/* hex digits */

enum guard_verdict {
	GUARD_OK,
	GUARD_NO_HOST,		/* 400 */
	GUARD_HOST,		/* 403: no name of this server (DNS rebinding) */
	GUARD_CROSS_SITE,	/* 403: sent by a page of another site */
	GUARD_TOKEN,		/* 401 */
};

struct guard_headers {		/* NULL: absent */
	const char *host, *origin, *fetch_site, *authorization;
};

/*
 * guard_host(host, port): whether ${host} is exactly 127.0.0.1:PORT, localhost:PORT or
 * [::1]:PORT (PORT may be omitted if it is 80).
 */
bool guard_host(const char *host, int port);

/*
 * guard_check(h, port, token): all checks of a request over TCP. ${token} NULL: no
 * token is required (the page's own files). Reads are checked like writes: responses
 * are worth stealing.
 */
enum guard_verdict guard_check(const struct guard_headers *h, int port,
    const char *token);

/*
 * guard_token(token, authorization): whether ${authorization} is "Bearer <token>",
 * compared in constant time.
 */
bool guard_token(const char *token, const char *authorization);

#endif
