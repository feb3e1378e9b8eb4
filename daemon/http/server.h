/*
 * http/server.h: the HTTP server of the daemon, on the unix socket and, when
 * it is asked for, on loopback TCP. server.c is the only file that sees
 * libmicrohttpd; handlers see struct request and struct response
 * (http/message.h), routes are rows of http/api.c.
 */
#ifndef CADV_HTTP_SERVER_H
#define CADV_HTTP_SERVER_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct http;
struct service;

struct http_options {
	const char *unix_path;	/* <runtime>/api.sock; borrowed until start
				 * returns */
	int listen_fd;		/* a unix socket that listens already (socket
				 * activation), then unix_path is not bound;
				 * -1: none */
	int tcp_port;		/* > 0: open 127.0.0.1 and ::1 at this port at
				 * the start; 0: only when the dashboard is
				 * asked for */
	int dashboard_port;	/* port for a dashboard that is asked for;
				 * 0: a free one */
	uint64_t max_upload_bytes;	/* of an imported capture; 0: 4 GiB */
	void (*shutdown)(void *arg);	/* POST /shutdown; any thread; NULL:
					 * raise SIGTERM */
	void *shutdown_arg;
};

/*
 * http_start(o, service, e): listen and serve ${service}, which must outlive
 * the server, in threads of its own. Returns NULL with ${e} set if a socket
 * cannot be opened.
 */
struct http *http_start(const struct http_options *o, struct service *service,
    struct error *e);

/*
 * http_stop(h): end all event streams, finish requests under way, close. NULL
 * is legal.
 */
void http_stop(struct http *h);

/*
 * http_port(h): the TCP port it listens on, 0 if there is none. http_url(h, out,
 * size): the dashboard's address with its token; -1 if there is none or it does
 * not fit. http_open_url(h, out, size, e): one that leads there once, for those
 * who start a browser with it. http_open_tcp(h, port, e): open TCP on ${port}
 * (0: a free one) if it is not open yet; -1 with ${e} set.
 */
int http_port(struct http *h);
int http_url(struct http *h, char *out, unsigned long size);
int http_open_url(struct http *h, char *out, unsigned long size,
    struct error *e);
int http_open_tcp(struct http *h, int port, struct error *e);

/*
 * http_exchange(h, tcp, fd, code, out): the token (TOKEN_TEXT + 1 bytes) for a
 * code. If it came over ${tcp}, the other end of ${fd} has to be ours, because
 * others can read the code while the browser starts. What they ask leaves the
 * code as it is.
 */
bool http_exchange(struct http *h, bool tcp, int fd, const char *code,
    char *out);

#endif
