/* fuzz_record.c: the decoders of record.def on any bytes: a record that decodes
 * must encode again, and decode to the same. */
#include <stdlib.h>
#include <string.h>

#include "wire/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
encode(uint8_t *buf, size_t cap, const struct record *r)
{
	switch (r->type) {
#define RECORD(name, number, doc, fields)				\
	case RECORD_##name:						\
		return record_put_##name(buf, cap, &r->u.name);
#include "wire/record.def"
	default:
		return 0;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t one[RECORD_MAX_PAYLOAD + 64], two[sizeof(one)];
	struct record r, back;
	size_t pos = 0, n, m, at;
	int more;

	while ((more = record_next(data, size, &pos, &r)) == 1) {
		if (pos > size)
			abort();
		if (record_name(r.type) == NULL)
			continue;
		if ((n = encode(one, sizeof(one), &r)) == 0)
			continue;
		at = 0;
		memset(&back, 0, sizeof(back));
		if (n % 8 != 0 || record_next(one, n, &at, &back) != 1 ||
		    at != n || back.type != r.type)
			abort();
		m = encode(two, sizeof(two), &back);
		if (m != n || memcmp(one, two, n) != 0)
			abort();
		if (encode(two, n - 1, &back) != 0)
			abort();
	}
	return more < -1;
}
