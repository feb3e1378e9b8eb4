/*
 * Admission of TCP connections. Any user of this machine can connect over TCP, and
 * connections are limited. So a connection that has not shown the token is a guest:
 * guests get a part of the places and little time, and the newest guest displaces the
 * oldest. A client with the token always gets in, because a browser sends its request
 * as soon as it is connected.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"
#include "http/server_internal.h"

#define GUESTS_MAX 48
#define GUEST_S 5	/* loading the page and its files takes far less; a browser
			 * that is too slow reconnects */

static int64_t
now_s(void)
{
	return (int64_t)(clock_mono() / 1000000000);
}

/* With the lock held. */
static void
unlink_guest(struct guest *g)
{
	if (g->prev == NULL)
		return;
	*g->prev = g->next;
	if (g->next != NULL)
		g->next->prev = g->prev;
	else
		g->http->guests_end = g->prev;
	g->prev = NULL;
	g->http->guest_count--;
}

/* With the lock held. shutdown() makes the library close the connection. The descriptor
 * belongs to the library until the library reports the end. */
static void
show_out(struct guest *g)
{
	unlink_guest(g);
	shutdown(g->fd, SHUT_RDWR);
}

struct guest *
door_enter(struct http *h, int fd)
{
	struct guest *g = calloc(1, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->http = h;
	g->fd = fd;
	g->since_s = now_s();
	pthread_mutex_lock(&h->lock);
	if (h->guest_count >= GUESTS_MAX)
		show_out(h->guests);
	if (h->guests == NULL)
		h->guests_end = &h->guests;
	g->prev = h->guests_end;
	*g->prev = g;
	h->guests_end = &g->next;
	h->guest_count++;
	pthread_mutex_unlock(&h->lock);
	return g;
}

void
door_known(struct guest *g)
{
	pthread_mutex_lock(&g->http->lock);
	unlink_guest(g);
	pthread_mutex_unlock(&g->http->lock);
}

void
door_leave(struct guest *g)
{
	door_known(g);
	free(g);
}

void
door_sweep(struct http *h)
{
	int64_t now = now_s();

	while (h->guests != NULL && now - h->guests->since_s > GUEST_S)
		show_out(h->guests);
}
