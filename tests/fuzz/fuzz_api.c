/*
 * fuzz_api.c: everything that the server decides about a request before it asks
 * the store: target, route, guard, body. The input is lines: method, target,
 * then headers, an empty line, the body.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/api.h"
#include "http/exchange.h"
#include "http/route.h"

#define TOKEN								\
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next line of ${text} before ${end}, terminated; NULL at the end. */
static char *
next_line(char **text, char *end)
{
	char *line = *text, *nl;

	if (line >= end)
		return NULL;
	nl = memchr(line, '\n', (size_t)(end - line));
	if (nl == NULL)
		nl = end;
	*nl = '\0';
	*text = nl + 1;
	return line;
}

static void
take_header(struct exchange_head *head, char *line)
{
	switch (line[0]) {
	case 'h':
		head->guard.host = line + 1;
		break;
	case 'o':
		head->guard.origin = line + 1;
		break;
	case 's':
		head->guard.fetch_site = line + 1;
		break;
	case 'a':
		head->guard.authorization = line + 1;
		break;
	case 't':
		head->content_type = line + 1;
		break;
	case 'l':
		head->content_length = line + 1;
		break;
	case 'c':
		head->chunked = true;
		break;
	case 'u':
		head->tcp = false;
		break;
	}
}

/* Checks what must hold for every answer. */
static void
check_answer(const struct response *rs)
{
	json_t *j;

	if (rs->status < 400 || rs->status > 599)
		abort();
	j = json_loadb(rs->fixed != NULL ? rs->fixed : rs->body, rs->length,
	    0, NULL);
	if (j == NULL || json_integer_value(json_object_get(j, "status")) !=
	    rs->status)
		abort();
	json_decref(j);
}

/* Checks what must hold for every request that is passed on. */
static void
check_request(const struct exchange_head *head, const struct request *rq)
{
	if (rq->route == NULL || rq->route->handler == NULL)
		abort();
	if (!head->tcp)
		return;
	if (rq->route->access == ACCESS_LOCAL)
		abort();
	if (rq->route->access == ACCESS_API && (head->guard.authorization ==
	    NULL || strcmp(head->guard.authorization + 7, TOKEN) != 0))
		abort();
	if (head->guard.host == NULL || !guard_host(head->guard.host, 1))
		abort();
}

static void
finish(struct request *rq, struct response *rs, const char *body, size_t len)
{
	char cursor[] = "r1";

	if (exchange_body(rq, rs, body, len) < 0) {
		check_answer(rs);
		return;
	}
	if (rq->body != NULL && api_body_known(rq, rs, "label pinned") < 0)
		check_answer(rs);
	if (rq->body == NULL)
		api_next(rq, rs, cursor);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct request rq;
	static struct response rs;
	struct exchange_head head = { .routes = api_routes,
		.route_count = api_route_count, .tcp = true, .port = 1, .token = TOKEN,
		.method = "GET", .raw = "/", .raw_length = 1,
		.max_upload = 1 << 20 };
	char *copy = malloc(size + 1), *text = copy, *end, *line;
	uint64_t max_body;

	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	end = copy + size;
	memset(&rq, 0, sizeof(rq));
	memset(&rs, 0, sizeof(rs));
	if ((line = next_line(&text, end)) != NULL)
		head.method = line;
	if ((line = next_line(&text, end)) != NULL) {
		head.raw = line;
		head.raw_length = (size_t)(text - line) - 1;
	}
	while ((line = next_line(&text, end)) != NULL && line[0] != '\0')
		take_header(&head, line);
	if (exchange_begin(&head, &rq, &rs, &max_body) < 0) {
		check_answer(&rs);
	} else {
		check_request(&head, &rq);
		if (text > end)
			text = end;
		if ((uint64_t)(end - text) <= max_body &&
		    !(rq.route->flags & ROUTE_UPLOAD))
			finish(&rq, &rs, text, (size_t)(end - text));
	}
	json_decref(rq.body);
	response_release(&rs);
	free(copy);
	return 0;
}
