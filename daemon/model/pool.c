/*
 * model/pool.c: see pool.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/text.h"
#include "model/pool.h"

struct pool_entry {
	UT_hash_handle hh;
	char text[];
};

struct pool_reason {
	UT_hash_handle hh;
	struct reason reason;	/* its text is interned: the key */
};

const char *
pool_text(struct pool *p, struct wire_str s)
{
	struct pool_entry *e;
	char *clean;
	size_t len;

	if (s.len == 0 || s.p == NULL)
		return "";
	if ((clean = text_dup_clean(s.p, s.len)) == NULL)
		return NULL;
	len = strlen(clean);
	HASH_FIND(hh, p->table, clean, len, e);
	if (e != NULL || p->bytes + len > POOL_MAX_BYTES) {
		p->refused += e == NULL;
		free(clean);
		return e != NULL ? e->text : "";
	}
	if ((e = malloc(sizeof(*e) + len + 1)) == NULL) {
		free(clean);
		return NULL;
	}
	memcpy(e->text, clean, len + 1);
	free(clean);
	memset(&e->hh, 0, sizeof(e->hh));
	HASH_ADD_KEYPTR(hh, p->table, e->text, len, e);
	if (e->hh.tbl == NULL) {
		free(e);
		return NULL;
	}
	p->bytes += sizeof(*e) + len + 1;
	return e->text;
}

const struct reason *
pool_reason(struct pool *p, enum reason_code code, const char *more)
{
	struct pool_reason *r;
	const char *interned;
	char text[640];

	snprintf(text, sizeof(text), "%s: %s", reason_row[code].text, more);
	interned = pool_text(p, wire_str_of(text));
	if (interned == NULL || *interned == '\0')
		return &reason_row[code];
	HASH_FIND_PTR(p->reason, &interned, r);
	if (r != NULL)
		return &r->reason;
	if ((r = calloc(1, sizeof(*r))) == NULL)
		return &reason_row[code];
	r->reason = reason_row[code];
	r->reason.text = interned;
	HASH_ADD_PTR(p->reason, reason.text, r);
	if (r->hh.tbl == NULL) {
		free(r);
		return &reason_row[code];
	}
	p->bytes += sizeof(*r);
	return &r->reason;
}

const char *
pool_demangled(struct pool *p, const char *mangled)
{
	char *name = demangle_name(&p->names, mangled);
	const char *text;

	if (name == NULL)
		return NULL;
	text = pool_text(p, wire_str_of(name));
	free(name);
	return text;
}

int
pool_names(struct pool *p, const char *mangled, const char **name,
    const char **short_name)
{
	char *demangled, brief[256];

	if ((demangled = demangle_name(&p->names, mangled)) == NULL)
		return -1;
	text_shorten(brief, sizeof(brief), demangled);
	*name = pool_text(p, wire_str_of(demangled));
	*short_name = pool_text(p, wire_str_of(brief));
	free(demangled);
	return *name == NULL || *short_name == NULL ? -1 : 0;
}

void
pool_clear(struct pool *p)
{

	HASH_FREE(p->reason);
	HASH_FREE(p->table);
	p->bytes = 0;
}
