/*
 * http/events.h: the text of an event stream (server-sent events). The events come from
 * service_events_since; the server decides when to look for more. Each stream may be
 * used by one thread at a time.
 */
#ifndef CADV_HTTP_EVENTS_H
#define CADV_HTTP_EVENTS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct event_stream;
struct service;

#define EVENTS_HEARTBEAT_S 15	/* only a write shows that a client is gone */

/*
 * event_stream_new(s, run, last_id): a stream of the events of run number ${run} (0: of
 * all runs) after ${last_id}, the Last-Event-ID header (NULL: from now on). If
 * ${last_id} is not an id of this daemon the first event is "reset": the client has to
 * read everything again. NULL without memory.
 */
struct event_stream *event_stream_new(struct service *s, int64_t run,
    const char *last_id);
/* event_stream_free(st): NULL is allowed. */
void event_stream_free(struct event_stream *st);

/*
 * event_stream_read(st, now_s, out, size): copy up to ${size} bytes of the stream's
 * text to ${out}. Returns their number, 0 if there is nothing to send now. ${now_s} is
 * monotonic, in seconds, for the heartbeat.
 */
size_t event_stream_read(struct event_stream *st, int64_t now_s, char *out,
    size_t size);

#endif
