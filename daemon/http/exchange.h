/*
 * http/exchange.h: one request from its header to its response, without the
 * library that carries it: what server.c decides by. Fuzzed through
 * tests/fuzz/fuzz_api.c.
 */
#ifndef CADV_HTTP_EXCHANGE_H
#define CADV_HTTP_EXCHANGE_H

#include "http/guard.h"
#include "http/message.h"

struct exchange_head {
	bool tcp;
	int port;		/* of the TCP socket */
	const char *token;	/* what the bearer must have */
	const char *method;	/* "GET" … */
	const char *raw;	/* request target, as it was sent */
	size_t raw_length;
	struct guard_headers guard;
	const char *content_type, *content_length;	/* or NULL */
	bool chunked;		/* a body of unknown length follows */
	bool repeated;		/* a header that we decide by came twice */
	uint64_t max_upload;	/* bytes */
};

/*
 * exchange_begin(head, rq, rs): parse and check everything that is known before
 * the body: target, method, route, who asks, content type and length. On 0
 * ${rq} has its route and parameters, and *${max_body} says how long the body
 * may be (0: none). -1: ${rs} is answered.
 */
int exchange_begin(const struct exchange_head *head, struct request *rq,
    struct response *rs, uint64_t *max_body);

/* exchange_body(rq, rs, body, len): parse the JSON body of a route that takes
 * one into rq->body; -1 with ${rs} answered if it is not a JSON object. */
int exchange_body(struct request *rq, struct response *rs, const char *body,
    size_t len);

/*
 * exchange_end(rs): make what the handler answered what is sent: 304 for a 200
 * that the client has. Its body stays, for its length: that is the only
 * Content-Length that a 304 may have (RFC 9110, 8.6). What is no 200 stays as it
 * is, whatever the client has (13.2.1).
 */
void exchange_end(struct response *rs);

#endif
