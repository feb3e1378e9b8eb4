#include <stdbool.h>
#include <string.h>

#include "wire/le.h"

#include "wire/record.h"

/* Cursors. After one failure all further calls on a cursor fail. */
struct put {
	uint8_t *buf;
	size_t cap, pos;
	bool failed;
};

struct get {
	const uint8_t *buf;
	size_t len, pos;
	bool failed;
};

static uint8_t *
put_room(struct put *c, size_t n)
{
	uint8_t *p;

	if (c->failed || c->cap - c->pos < n) {
		c->failed = true;
		return NULL;
	}
	p = c->buf + c->pos;
	c->pos += n;
	return p;
}

static void
put_bytes(struct put *c, const void *p, size_t n)
{
	uint8_t *at;

	if ((at = put_room(c, n)) != NULL && n > 0)
		memcpy(at, p, n);
}

static void
put_u8(struct put *c, uint8_t v)
{

	put_bytes(c, &v, 1);
}

#define PUT_DEFINE(bits)						\
	static void							\
	put_u##bits(struct put *c, uint##bits##_t v)			\
	{								\
		uint8_t *at;						\
									\
		if ((at = put_room(c, bits / 8)) != NULL)		\
			le##bits##_put(at, v);				\
	}
PUT_DEFINE(16)
PUT_DEFINE(32)
PUT_DEFINE(64)

static void
put_f64(struct put *c, double v)
{
	uint64_t u;

	memcpy(&u, &v, sizeof(u));
	put_u64(c, u);
}

static void
put_str(struct put *c, struct wire_str s)
{

	if (s.len > RECORD_MAX_STRING) {
		c->failed = true;
		return;
	}
	put_u16(c, (uint16_t)s.len);
	put_bytes(c, s.p, s.len);
}

static void
put_blob(struct put *c, struct wire_blob b)
{

	put_u32(c, b.len);
	put_bytes(c, b.p, b.len);
}

static size_t
put_finish(struct put *c, uint16_t type)
{
	size_t payload = c->pos - RECORD_HEADER_SIZE;

	while (c->pos % 8 != 0 && !c->failed)
		put_u8(c, 0);
	if (c->failed || payload > RECORD_MAX_PAYLOAD)
		return 0;
	le16_put(c->buf, type);
	le16_put(c->buf + 2, 0);
	le32_put(c->buf + 4, (uint32_t)payload);
	return c->pos;
}

#define U8(n) put_u8(&c, r->n);
#define U16(n) put_u16(&c, r->n);
#define U32(n) put_u32(&c, r->n);
#define U64(n) put_u64(&c, r->n);
#define F64(n) put_f64(&c, r->n);
#define STR(n) put_str(&c, r->n);
#define BLOB(n) put_blob(&c, r->n);
#define RECORD(name, number, doc, fields)				\
	size_t								\
	record_put_##name(uint8_t *buf, size_t cap,			\
	    const struct record_##name *r)				\
	{								\
		struct put c = { .buf = buf, .cap = cap };		\
									\
		put_room(&c, RECORD_HEADER_SIZE);			\
		fields							\
		return put_finish(&c, number);			\
	}
#include "record.def"
#undef U8
#undef U16
#undef U32
#undef U64
#undef F64
#undef STR
#undef BLOB

/*
 * A field past the end of the payload was not known to an older writer: it reads as
 * zero. A field cut in the middle is damage.
 */
static const uint8_t *
get_room(struct get *c, size_t n)
{
	const uint8_t *p;

	if (c->pos == c->len)
		return NULL;
	if (c->len - c->pos < n) {
		c->failed = true;
		c->pos = c->len;
		return NULL;
	}
	p = c->buf + c->pos;
	c->pos += n;
	return p;
}

static uint8_t
get_u8(struct get *c)
{
	const uint8_t *p = get_room(c, 1);

	return p != NULL ? *p : 0;
}

#define GET_DEFINE(bits)						\
	static uint##bits##_t						\
	get_u##bits(struct get *c)					\
	{								\
		const uint8_t *p = get_room(c, bits / 8);		\
									\
		return p != NULL ? le##bits##_get(p) : 0;		\
	}
GET_DEFINE(16)
GET_DEFINE(32)
GET_DEFINE(64)

static double
get_f64(struct get *c)
{
	uint64_t u = get_u64(c);
	double v;

	memcpy(&v, &u, sizeof(v));
	return v;
}

static struct wire_str
get_str(struct get *c)
{
	struct wire_str s = { "", 0 };
	uint32_t len = get_u16(c);
	const uint8_t *p;

	if (len == 0)
		return s;
	if ((p = get_room(c, len)) == NULL) {
		c->failed = true;
		return s;
	}
	s.p = (const char *)p;
	s.len = len;
	return s;
}

static struct wire_blob
get_blob(struct get *c)
{
	struct wire_blob b = { (const uint8_t *)"", 0 };
	uint32_t len = get_u32(c);
	const uint8_t *p;

	if (len == 0)
		return b;
	if ((p = get_room(c, len)) == NULL) {
		c->failed = true;
		return b;
	}
	b.p = p;
	b.len = len;
	return b;
}

#define U8(n) r->n = get_u8(c);
#define U16(n) r->n = get_u16(c);
#define U32(n) r->n = get_u32(c);
#define U64(n) r->n = get_u64(c);
#define F64(n) r->n = get_f64(c);
#define STR(n) r->n = get_str(c);
#define BLOB(n) r->n = get_blob(c);
#define RECORD(name, number, doc, fields)				\
	static void							\
	get_##name(struct get *c, struct record_##name *r)		\
	{								\
		fields							\
	}
#include "record.def"
#undef U8
#undef U16
#undef U32
#undef U64
#undef F64
#undef STR
#undef BLOB

int
record_next(const uint8_t *buf, size_t len, size_t *pos, struct record *r)
{
	struct get c = { 0 };
	uint32_t payload;
	size_t padded;

	if (*pos == len)
		return 0;
	if (len - *pos < RECORD_HEADER_SIZE)
		return -1;
	r->type = le16_get(buf + *pos);
	payload = le32_get(buf + *pos + 4);
	if (payload > RECORD_MAX_PAYLOAD)
		return -1;
	padded = RECORD_HEADER_SIZE + (((size_t)payload + 7) & ~(size_t)7);
	if (len - *pos < padded)
		return -1;
	c.buf = buf + *pos + RECORD_HEADER_SIZE;
	c.len = payload;
	switch (r->type) {
#define RECORD(name, number, doc, fields)				\
	case number:							\
		get_##name(&c, &r->u.name);				\
		break;
#include "record.def"
	default:
		break;
	}
	if (c.failed)
		return -1;
	*pos += padded;
	return 1;
}

const char *
record_name(uint16_t type)
{

	switch (type) {
#define RECORD(name, number, doc, fields)				\
	case number:							\
		return #name;
#include "record.def"
	}
	return NULL;
}

const char *
wire_call_name(uint16_t call)
{
	static const char *const names[] = {
#define X(name, text) text,
		WIRE_CALLS(X)
#undef X
	};

	return names[call < CALL_COUNT ? call : CALL_UNKNOWN];
}

const char *
wire_tool_name(uint32_t tool)
{
	static const char *const names[] = {
#define X(name, text) text,
		WIRE_TOOLS(X)
#undef X
	};

	return names[tool < TOOL_COUNT ? tool : TOOL_UNKNOWN];
}

struct wire_str
wire_str_of(const char *s)
{
	struct wire_str w = { s != NULL ? s : "", 0 };
	size_t n = strlen(w.p);

	w.len = (uint32_t)(n < RECORD_MAX_STRING ? n : RECORD_MAX_STRING);
	return w;
}
