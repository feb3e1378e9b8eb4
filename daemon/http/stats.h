/*
 * http/stats.h: what the server counts about itself.
 */
#ifndef CADV_HTTP_STATS_H
#define CADV_HTTP_STATS_H

#include <stdint.h>

struct http;

struct http_stats {
	uint64_t requests;	/* answered */
	uint64_t errors;	/* of those with 5xx */
	uint64_t refused;	/* wrong token, host, origin, peer */
	uint64_t streams;	/* event streams open now */
};

void http_stats(struct http *h, struct http_stats *out);

#endif
