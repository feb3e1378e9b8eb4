/*
 * http/events.h: the text of an event stream (server-sent events). The events
 * come from service_events_since; the server decides when to check for more.
 * One thread at a time for each stream.
 */
#ifndef CADV_HTTP_EVENTS_H
#define CADV_HTTP_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event_stream;
struct service;

#define EVENTS_HEARTBEAT_S 15	/* a dead client is only detected by a write */

/*
 * event_stream_new(s, run, last_id): events of run number ${run} (0: of all)
 * after ${last_id} (the Last-Event-ID header, NULL: none). For an id that is
 * not from this daemon the first event is "reset": read everything again. NULL
 * without memory.
 */
struct event_stream *event_stream_new(struct service *s, int64_t run,
    const char *last_id);
void event_stream_free(struct event_stream *st);

/*
 * event_stream_read(st, now_s, out, size): up to ${size} bytes of the stream's
 * text, 0 if there is none now. ${now_s} is a monotonic clock, for the
 * heartbeat.
 */
size_t event_stream_read(struct event_stream *st, int64_t now_s, char *out,
    size_t size);

#endif
