#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "service/service.h"

#include "http/listen.h"
#include "http/peer.h"
#include "http/server_internal.h"
#include "http/stats.h"

#define CONNECTIONS_MAX 128	/* per socket */
#define TIMEOUT_S 30		/* of an idle connection */
#define MEMORY_LIMIT (32u << 10)	/* bytes for the header of one request */
#define STOP_WAIT_S 2		/* for streams to end; main.c exits after 4 s */
#define UPLOAD_DEFAULT (4ull << 30)

#if MHD_VERSION >= 0x00097701
#define OPTION_STRICT MHD_OPTION_CLIENT_DISCIPLINE_LVL
#else
#define OPTION_STRICT MHD_OPTION_STRICT_FOR_CLIENT
#endif

static void
on_log(void *arg, const char *fmt, va_list ap)
{
	char line[256];

	(void)arg;
	vsnprintf(line, sizeof(line), fmt, ap);
	line[strcspn(line, "\n")] = '\0';
	log_debug("http: %s", line);
}

/* Serves ${fd}. The server owns ${fd}, and closes it also if this fails. */
static int
serve(struct http *h, int which, int fd, struct error *e)
{
	struct listener *l = &h->listener[which];

	l->http = h;
	l->tcp = which != SOCKET_UNIX;
	l->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD |
	    MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
	    server_on_request, l,
	    MHD_OPTION_EXTERNAL_LOGGER, on_log, NULL,
	    MHD_OPTION_LISTEN_SOCKET, fd,
	    MHD_OPTION_THREAD_POOL_SIZE, 2u,
	    MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
	    MHD_OPTION_PER_IP_CONNECTION_LIMIT,
	    l->tcp ? (unsigned)CONNECTIONS_MAX : 0u,
	    MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
	    MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_LIMIT,
	    OPTION_STRICT, 1,
	    MHD_OPTION_URI_LOG_CALLBACK, server_on_target, l,
	    MHD_OPTION_NOTIFY_COMPLETED, server_on_completed, l,
	    MHD_OPTION_NOTIFY_CONNECTION, server_on_connection, l,
	    MHD_OPTION_END);
	if (l->daemon != NULL)
		return 0;
	close(fd);
	return error_set(e, "cannot start the HTTP server");
}

int
http_open_tcp(struct http *h, int port, struct error *e)
{
	int fd[2], result = -1;

	pthread_mutex_lock(&h->tcp_lock);
	if (h->port != 0) {
		if (port <= 0 || port == h->port)
			result = 0;
		else
			error_set(e, "the dashboard is at port %d already, "
			    "until the daemon ends: cudadvise dashboard prints "
			    "its address, cudadvise daemon stop frees it",
			    h->port);
		goto out;
	}
	if (token_make(h->token, e) < 0)
		goto out;
	port = listen_loopback(port >= 0 ? port : h->options.dashboard_port,
	    fd, e);
	if (port < 0)
		goto out;
	h->port = port;		/* before the first request reads it */
	if (serve(h, SOCKET_IPV4, fd[0], e) < 0) {
		h->port = 0;
		if (fd[1] >= 0)
			close(fd[1]);
		goto out;
	}
	if (fd[1] >= 0)
		serve(h, SOCKET_IPV6, fd[1], NULL);
	log_info("the API listens on 127.0.0.1 port %d", port);
	result = 0;
out:
	pthread_mutex_unlock(&h->tcp_lock);
	return result;
}

int
http_port(struct http *h)
{
	int port;

	/* With the lock: http_open_tcp may have set the port and still fail. */
	pthread_mutex_lock(&h->tcp_lock);
	port = h->port;
	pthread_mutex_unlock(&h->tcp_lock);
	return port;
}

int
http_url(struct http *h, char *out, unsigned long size)
{
	int port = http_port(h), n;

	if (port == 0)
		return -1;
	n = snprintf(out, size, "http://127.0.0.1:%d/#token=%s", port,
	    h->token);
	return n > 0 && (unsigned long)n < size ? 0 : -1;
}

int
http_open_url(struct http *h, char *out, unsigned long size, struct error *e)
{
	char code[CODE_TEXT + 1];
	int port, n, result = -1;

	pthread_mutex_lock(&h->tcp_lock);
	port = h->port;
	if (port != 0)
		result = code_issue(&h->codes, clock_mono(), code, e);
	pthread_mutex_unlock(&h->tcp_lock);
	if (result < 0)
		return -1;
	n = snprintf(out, size, "http://127.0.0.1:%d/open/%s", port, code);
	return n > 0 && (unsigned long)n < size ? 0 : -1;
}

bool
http_exchange(struct http *h, bool tcp, int fd, const char *code, char *out)
{
	bool good;

	pthread_mutex_lock(&h->tcp_lock);
	good = code_holds(&h->codes, clock_mono(), code);
	pthread_mutex_unlock(&h->tcp_lock);
	if (!good || (tcp && !peer_is_us(fd)))
		return false;
	pthread_mutex_lock(&h->tcp_lock);
	good = code_take(&h->codes, clock_mono(), code);
	if (good)
		memcpy(out, h->token, TOKEN_TEXT + 1);
	pthread_mutex_unlock(&h->tcp_lock);
	return good;
}

void
http_stats(struct http *h, struct http_stats *out)
{
	out->requests = atomic_load(&h->requests);
	out->errors = atomic_load(&h->errors);
	out->refused = atomic_load(&h->refused);
	pthread_mutex_lock(&h->lock);
	out->streams = h->open_streams;
	pthread_mutex_unlock(&h->lock);
}

static void
init_locks(struct http *h)
{
	pthread_condattr_t attr;

	pthread_mutex_init(&h->tcp_lock, NULL);
	pthread_mutex_init(&h->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&h->changed, &attr);
	pthread_condattr_destroy(&attr);
}

struct http *
http_start(const struct http_options *o, struct service *service,
    struct error *e)
{
	struct http *h = calloc(1, sizeof(*h));
	int fd = o->listen_fd;

	if (h == NULL) {
		error_memory(e);
		return NULL;
	}
	h->options = *o;
	h->service = service;
	if (h->options.max_upload_bytes == 0)
		h->options.max_upload_bytes = UPLOAD_DEFAULT;
	init_locks(h);
	if (fd < 0) {
		snprintf(h->unix_path, sizeof(h->unix_path), "%s",
		    o->unix_path);
		fd = listen_unix(h->unix_path, e);
		h->bound = fd >= 0;
	}
	if (fd < 0)
		goto err0;
	if (pthread_create(&h->waker, NULL, server_waker, h) != 0) {
		error_set(e, "cannot start a thread");
		close(fd);
		goto err0;
	}
	service_on_event(service, server_on_event, h);
	if (serve(h, SOCKET_UNIX, fd, e) < 0 ||
	    (o->tcp_port > 0 && http_open_tcp(h, o->tcp_port, e) < 0)) {
		http_stop(h);
		return NULL;
	}
	return h;
err0:
	if (h->bound)
		unlink(h->unix_path);
	free(h);
	return NULL;
}

void
http_stop(struct http *h)
{
	struct timespec until;
	size_t i;

	if (h == NULL)
		return;
	service_on_event(h->service, NULL, NULL);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += STOP_WAIT_S;
	pthread_mutex_lock(&h->lock);
	h->quit = true;
	server_wake(h);
	pthread_cond_broadcast(&h->changed);
	/* A slow handler uses the service: wait for it, however long it takes. */
	while (h->slow > 0)
		pthread_cond_wait(&h->changed, &h->lock);
	while (h->open_streams > 0)
		if (pthread_cond_timedwait(&h->changed, &h->lock, &until) ==
		    ETIMEDOUT)
			break;
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->waker, NULL);
	for (i = 0; i < SOCKETS; i++)
		if (h->listener[i].daemon != NULL)
			MHD_stop_daemon(h->listener[i].daemon);
	if (h->bound)
		unlink(h->unix_path);
	pthread_cond_destroy(&h->changed);
	pthread_mutex_destroy(&h->lock);
	pthread_mutex_destroy(&h->tcp_lock);
	free(h);
}
