#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http/guard.h"

static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

bool
guard_host(const char *host, int port)
{
	char expected[32];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(expected, sizeof(expected), "%s:%d", names[i], port);
		if (strcasecmp(host, expected) == 0)
			return true;
		/* Browsers omit the scheme's default port. */
		if (port == 80 && strcasecmp(host, names[i]) == 0)
			return true;
	}
	return false;
}

/* Only exactly "http://" and the requested Host is accepted as origin. */
static bool
same_origin(const char *origin, const char *host)
{
	static const char scheme[] = "http://";

	return strncasecmp(origin, scheme, sizeof(scheme) - 1) == 0 &&
	    strcasecmp(origin + sizeof(scheme) - 1, host) == 0;
}

bool
guard_token(const char *token, const char *authorization)
{
	static const char scheme[] = "Bearer ";
	unsigned char different = 0;
	const char *given;
	size_t i;

	if (authorization == NULL ||
	    strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
		return false;
	given = authorization + sizeof(scheme) - 1;
	/* The length is public, the digits are secret. */
	if (strlen(given) != TOKEN_TEXT || strlen(token) != TOKEN_TEXT)
		return false;
	for (i = 0; i < TOKEN_TEXT; i++)
		different |= (unsigned char)(given[i] ^ token[i]);
	return different == 0;
}

enum guard_verdict
guard_check(const struct guard_headers *h, int port, const char *token)
{
	if (h->host == NULL || h->host[0] == '\0')
		return GUARD_NO_HOST;
	if (!guard_host(h->host, port))
		return GUARD_HOST;
	if (h->fetch_site != NULL && strcmp(h->fetch_site, "same-origin") != 0 &&
	    strcmp(h->fetch_site, "none") != 0)
		return GUARD_CROSS_SITE;
	if (h->origin != NULL && !same_origin(h->origin, h->host))
		return GUARD_CROSS_SITE;
	if (token != NULL && !guard_token(token, h->authorization))
		return GUARD_TOKEN;
	return GUARD_OK;
}
