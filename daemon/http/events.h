/*
 * http/events.h: the text of an event stream (server-sent events). What is
 * sent comes from service_events_since; when to look for more is the server's
 * affair. One thread at a time for each stream.
 */
#ifndef CADV_HTTP_EVENTS_H
#define CADV_HTTP_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event_stream;
struct service;

#define EVENTS_HEARTBEAT_S 15	/* a dead client is noticed at a write only */

/*
 * event_stream_new(s, run, last_id): events of run number ${run} (0: of all)
 * after the one that ${last_id} (a Last-Event-ID header, NULL: none) names.
 * What is not an id of this daemon's gets a "reset" event: read everything
 * again. NULL without memory.
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
