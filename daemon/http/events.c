#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/events.h"
#include "service/service.h"

#define BATCH 16		/* events formatted at a time */

struct event_stream {
	struct service *service;
	int64_t run;
	uint64_t after;		/* id of the last event read */
	bool greeted, reset;
	int64_t last_write_s;
	char text[BATCH * 256];
	size_t length, position;
};

struct event_stream *
event_stream_new(struct service *s, int64_t run, const char *last_id)
{
	struct event_stream *st = calloc(1, sizeof(*st));
	char *end;

	if (st == NULL)
		return NULL;
	st->service = s;
	st->run = run;
	st->after = service_events_last(s);
	if (last_id != NULL) {
		/* An id that is higher than the last would never be reached. */
		uint64_t id;

		errno = 0;
		id = strtoull(last_id, &end, 10);
		if (errno != 0 || *end != '\0' ||
		    !isdigit((unsigned char)last_id[0]) || id > st->after)
			st->reset = true;
		else
			st->after = id;
	}
	return st;
}

void
event_stream_free(struct event_stream *st)
{
	free(st);
}

static void
put(struct event_stream *st, uint64_t id, const char *kind, const char *data)
{
	int n = snprintf(st->text + st->length, sizeof(st->text) - st->length,
	    "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", id, kind, data);

	if (n > 0 && (size_t)n < sizeof(st->text) - st->length)
		st->length += (size_t)n;
}

static void
put_event(struct event_stream *st, const struct service_event *ev)
{
	char data[160];

	if (st->run != 0 && ev->run != st->run)
		return;
	/* These fields need no escaping: numbers, hex, fixed words. */
	snprintf(data, sizeof(data), "{\"number\":%" PRId64 ",\"id\":\"%s\","
	    "\"state\":\"%s\"}", ev->run, ev->uuid, ev->state);
	put(st, ev->id, ev->kind, data);
}

static void
refill(struct event_stream *st, int64_t now_s)
{
	struct service_event ev[BATCH];
	size_t i, n;
	bool reset = false;

	st->length = st->position = 0;
	n = service_events_since(st->service, st->after, ev, BATCH, &reset);
	if (reset || st->reset) {
		st->reset = false;
		st->greeted = true;
		st->after = service_events_last(st->service);
		put(st, st->after, "reset", "{}");
		return;
	}
	if (!st->greeted) {
		st->greeted = true;
		put(st, st->after, "hello", "{}");
	}
	for (i = 0; i < n; i++) {
		put_event(st, &ev[i]);
		st->after = ev[i].id;
	}
	if (st->length == 0 && now_s - st->last_write_s >= EVENTS_HEARTBEAT_S) {
		memcpy(st->text, ": still here\n\n", 14);
		st->length = 14;
	}
}

size_t
event_stream_read(struct event_stream *st, int64_t now_s, char *out,
    size_t size)
{
	size_t n;

	if (st->position == st->length)
		refill(st, now_s);
	n = st->length - st->position;
	if (n > size)
		n = size;
	memcpy(out, st->text + st->position, n);
	st->position += n;
	if (n > 0)
		st->last_write_s = now_s;
	return n;
}
