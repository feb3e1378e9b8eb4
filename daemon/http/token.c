#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"

#include "http/token.h"

/* Writes 2 * ${bytes} random hex digits and a NUL. 0; -1 with ${e} set. */
static int
random_text(char *out, size_t bytes, struct error *e)
{
	unsigned char random[TOKEN_BYTES];
	size_t i;

	if (getrandom(random, bytes, 0) != (ssize_t)bytes)
		return error_set(e, "cannot make a token: no random numbers:");
	for (i = 0; i < bytes; i++)
		snprintf(out + 2 * i, 3, "%02x", random[i]);
	return 0;
}

int
token_make(char *token, struct error *e)
{
	return random_text(token, TOKEN_BYTES, e);
}

int
code_issue(struct codes *c, uint64_t now_ns, char *out, struct error *e)
{
	size_t i, at = 0;

	for (i = 1; i < CODES_MAX; i++)
		if (c->code[i].until_ns < c->code[at].until_ns)
			at = i;
	if (random_text(out, CODE_BYTES, e) < 0)
		return -1;
	memcpy(c->code[at].text, out, CODE_TEXT + 1);
	c->code[at].until_ns = now_ns + CODE_LIFE_NS;
	return 0;
}

/* Index of the code; CODES_MAX: none. */
static size_t
find(const struct codes *c, uint64_t now_ns, const char *text)
{
	size_t i, k, found = CODES_MAX;
	unsigned char different;

	if (strlen(text) != CODE_TEXT)
		return CODES_MAX;
	for (i = 0; i < CODES_MAX; i++) {
		different = c->code[i].until_ns <= now_ns;
		for (k = 0; k < CODE_TEXT; k++)
			different |= (unsigned char)(c->code[i].text[k] ^
			    text[k]);
		if (different == 0)
			found = i;
	}
	return found;
}

bool
code_holds(const struct codes *c, uint64_t now_ns, const char *text)
{
	return find(c, now_ns, text) < CODES_MAX;
}

bool
code_take(struct codes *c, uint64_t now_ns, const char *text)
{
	size_t at = find(c, now_ns, text);

	if (at == CODES_MAX)
		return false;
	memset(&c->code[at], 0, sizeof(c->code[at]));
	return true;
}
