/*
 * http/target.h: the request target, from bytes to path segments and query
 * parameters. Pure; everything a peer can put in a request line ends here.
 */
#ifndef CADV_HTTP_TARGET_H
#define CADV_HTTP_TARGET_H

#include <stddef.h>

#define TARGET_MAX 2048		/* bytes of a request target */
#define TARGET_SEGMENTS 8
#define TARGET_QUERIES 12

enum target_status {
	TARGET_OK,
	TARGET_TOO_LONG,	/* bytes, segments or parameters */
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
	const char *offender;		/* of TARGET_TWICE: the name */
};

/*
 * target_parse(t, raw, len): decode ${raw} ("/a/b%20c?x=1"). A segment may be
 * decoded to anything printable but "/" , "." and "..", which are refused: no
 * path of ours has them.
 */
enum target_status target_parse(struct target *t, const char *raw, size_t len);

#endif
