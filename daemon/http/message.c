#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "http/events.h"
#include "http/message.h"

const char *
query_get(const struct request *rq, const char *name)
{
	size_t i;

	for (i = 0; i < rq->target.queries; i++)
		if (strcmp(rq->target.query[i].name, name) == 0)
			return rq->target.query[i].value;
	return NULL;
}

void
respond_text(struct response *rs, int status, const char *type, char *body,
    size_t length)
{
	static const char no_memory[] =
	    "{\"type\":\"/problems/internal\",\"title\":\"Internal error\","
	    "\"status\":500,\"detail\":\"out of memory\"}";

	rs->status = status;
	rs->type = type;
	rs->body = body;
	rs->length = length;
	if (body == NULL) {
		rs->status = 500;
		rs->type = "application/problem+json";
		rs->fixed = no_memory;
		rs->length = sizeof(no_memory) - 1;
		rs->live = true;
	}
}

void
respond_json(struct response *rs, int status, json_t *j)
{
	char *text = NULL;

	if (j != NULL)
		text = json_dumps(j, JSON_COMPACT);
	json_decref(j);
	respond_text(rs, status, "application/json", text,
	    text != NULL ? strlen(text) : 0);
}

void
respond_header(struct response *rs, const char *name, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (rs->headers == RESPONSE_HEADERS)
		return;
	va_start(ap, fmt);
	n = vsnprintf(rs->header[rs->headers].value,
	    sizeof(rs->header[0].value), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(rs->header[0].value))
		return;
	rs->header[rs->headers++].name = name;
}

void
response_release(struct response *rs)
{
	free(rs->body);
	rs->body = NULL;
	rs->fixed = NULL;
	rs->length = 0;
	rs->status = 0;
	rs->headers = 0;
	if (rs->fd > 0)
		close(rs->fd);
	rs->fd = 0;
	event_stream_free(rs->stream);
	rs->stream = NULL;
	rs->shutdown = rs->client_has = false;
}
