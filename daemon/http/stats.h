/*
 * http/stats.h: the server's counters of its own work.
 */
#ifndef CADV_HTTP_STATS_H
#define CADV_HTTP_STATS_H

#include <stdint.h>

struct http;

struct http_stats {
	uint64_t requests;	/* answered */
	uint64_t errors;	/* with a 5xx status */
	uint64_t refused;	/* for a wrong token, host, origin or peer */
	uint64_t streams;	/* event streams open now */
};

/* http_stats(h, out): the counters so far. Any thread. */
void http_stats(struct http *h, struct http_stats *out);

#endif
