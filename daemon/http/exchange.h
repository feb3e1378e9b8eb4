/*
 * http/exchange.h: what to do with a request from its header to its response,
 * independent of the HTTP library; server.c does it. Fuzzed by tests/fuzz/fuzz_api.c.
 */
#ifndef CADV_HTTP_EXCHANGE_H
#define CADV_HTTP_EXCHANGE_H

#include "http/guard.h"
#include "http/message.h"

struct exchange_head {
	const struct route *routes;	/* all routes (http/route.h) */
	size_t route_count;
	bool tcp;
	int port;		/* of the TCP socket */
	const char *token;	/* the required bearer token */
	const char *method;	/* "GET" … */
	const char *raw;	/* request target, undecoded */
	size_t raw_length;
	struct guard_headers guard;
	const char *content_type, *content_length;	/* or NULL */
	bool chunked;		/* a body of unknown length follows */
	bool repeated;		/* a header that decisions depend on was sent twice */
	uint64_t max_upload;	/* bytes */
};

/*
 * exchange_begin(head, rq, rs, max_body): parse and check what is known before the
 * body: target, method, route, authentication, content type and length. 0: ${rq} has
 * its route and parameters, and *${max_body} is the largest allowed body in bytes (0:
 * none). -1: ${rs} is answered.
 */
int exchange_begin(const struct exchange_head *head, struct request *rq,
    struct response *rs, uint64_t *max_body);

/* exchange_body(rq, rs, body, len): parse the JSON body into rq->body. 0; -1 with ${rs}
 * answered if it is not a JSON object. */
int exchange_body(struct request *rq, struct response *rs, const char *body,
    size_t len);

/*
 * exchange_end(rs): finish the handler's response: 304 replaces a 200 if the client has
 * this revision. The body stays, for its length: a 304 may have no other Content-Length
 * than the 200 (RFC 9110, 8.6). Other statuses are kept (13.2.1).
 */
void exchange_end(struct response *rs);

#endif
