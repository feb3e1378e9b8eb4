/*
 * http/guard.h: who may talk to us over TCP. Pure functions over header
 * values; the unix socket is guarded by its peer's credentials instead.
 */
#ifndef CADV_HTTP_GUARD_H
#define CADV_HTTP_GUARD_H

#include <stdbool.h>

#define TOKEN_BYTES 32			/* 256 bits */
#define TOKEN_TEXT (TOKEN_BYTES * 2)	/* hex digits */

enum guard_verdict {
	GUARD_OK,
	GUARD_NO_HOST,		/* 400 */
	GUARD_HOST,		/* 403: not one of our names: DNS rebinding */
	GUARD_CROSS_SITE,	/* 403: another page of the browser asks */
	GUARD_TOKEN,		/* 401 */
};

struct guard_headers {		/* NULL: absent */
	const char *host, *origin, *fetch_site, *authorization;
};

/*
 * guard_host(host, port): exactly 127.0.0.1:PORT, localhost:PORT or
 * [::1]:PORT.
 */
bool guard_host(const char *host, int port);

/*
 * guard_check(h, port, token): everything that an API request over TCP must
 * satisfy; ${token} NULL asks for no token (the page's own files). Reads are
 * checked like writes: what they return is worth stealing.
 */
enum guard_verdict guard_check(const struct guard_headers *h, int port,
    const char *token);

/*
 * guard_token(token, authorization): "Bearer <token>", compared in constant
 * time.
 */
bool guard_token(const char *token, const char *authorization);

#endif
