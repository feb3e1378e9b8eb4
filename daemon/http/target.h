/*
 * http/target.h: parses the request target into path segments and query parameters.
 * Pure. All bytes of a request line that handlers see pass through here.
 */
#ifndef CADV_HTTP_TARGET_H
#define CADV_HTTP_TARGET_H

#include <stddef.h>

#define TARGET_MAX 2048		/* bytes of a request target */
#define TARGET_SEGMENTS 8
#define TARGET_QUERIES 12

enum target_status {
	TARGET_OK,
	TARGET_TOO_LONG,	/* too many bytes, segments or parameters */
	TARGET_BAD,		/* not absolute, bad %-encoding, control
				 * characters, not UTF-8, an empty segment */
	TARGET_TWICE,		/* a query parameter given twice */
};

struct target {
	char text[TARGET_MAX + 1];	/* decoded, NUL between the pieces */
	const char *segment[TARGET_SEGMENTS];
	size_t segments;		/* "/" has none */
	struct {
		const char *name, *value;
	} query[TARGET_QUERIES];
	size_t queries;
	const char *offender;		/* the name, for TARGET_TWICE */
};

/*
 * target_parse(t, raw, len): decode ${raw} ("/a/b%20c?x=1"). A segment may be
 * any printable text except "/", "." and "..", which no path of this API has.
 */
enum target_status target_parse(struct target *t, const char *raw, size_t len);

#endif
