#include <string.h>

#include "base/text.h"
#include "service/internal.h"

void
events_init(struct service *s)
{

	pthread_mutex_init(&s->events_lock, NULL);
	/* Ids of an earlier daemon are lower, so that service_events_since takes them
	 * for too old. */
	s->event_last = s->started_ns / MS;
	s->event_first = s->event_last + 1;
}

void
events_add(struct service *s, const char *kind, int64_t run, const char *uuid,
    const char *state)
{
	struct service_event *ev;
	void (*fn)(void *);
	void *arg;

	pthread_mutex_lock(&s->events_lock);
	s->event_last++;
	if (s->event_last - s->event_first >= EVENT_RING)
		s->event_first++;
	ev = &s->event[s->event_last % EVENT_RING];
	memset(ev, 0, sizeof(*ev));
	ev->id = s->event_last;
	ev->kind = kind;
	ev->run = run;
	ev->revision = (int64_t)s->event_last;
	text_copy(ev->uuid, sizeof(ev->uuid), uuid);
	text_copy(ev->state, sizeof(ev->state), state);
	fn = s->on_event;
	arg = s->on_event_arg;
	if (fn != NULL)
		fn(arg);
	pthread_mutex_unlock(&s->events_lock);
}

size_t
service_events_since(struct service *s, uint64_t id,
    struct service_event *out, size_t cap, bool *reset)
{
	size_t n = 0;

	pthread_mutex_lock(&s->events_lock);
	*reset = id > s->event_last || id + 1 < s->event_first;
	for (id++; !*reset && id <= s->event_last && n < cap; id++)
		out[n++] = s->event[id % EVENT_RING];
	pthread_mutex_unlock(&s->events_lock);
	return n;
}

uint64_t
service_events_last(struct service *s)
{
	uint64_t id;

	pthread_mutex_lock(&s->events_lock);
	id = s->event_last;
	pthread_mutex_unlock(&s->events_lock);
	return id;
}

void
service_on_event(struct service *s, void (*fn)(void *arg), void *arg)
{

	pthread_mutex_lock(&s->events_lock);
	s->on_event = fn;
	s->on_event_arg = arg;
	pthread_mutex_unlock(&s->events_lock);
}
