/* The HTTP server while long work is in progress. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "http/route.h"
#include "http/server.h"
#include "service/internal.h"
#include "unit/served.h"
#include "unit/test.h"

#define WAITING 4

static char api_path[100];
static struct http *http;

static int
set_up(void **state)
{
	struct http_options h = { .routes = api_routes,
	    .route_count = api_route_count, .unix_path = api_path,
	    .listen_fd = -1 };
	struct error e = ERROR_INIT;

	(void)state;
	serve(1000, 5000);
	snprintf(api_path, sizeof(api_path), "%s/api.sock", top);
	http = http_start(&h, service, &e);
	assert_non_null(http);
	return 0;
}

static int
tear_down(void **state)
{
	claim_drop(service, FIXTURE_RUN);
	http_stop(http);
	return serve_end(state);
}

/* Opens a connection and sends a request for ${method} ${path}. */
static int
ask(const char *method, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval patience = { 5, 0 };
	char text[200];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), n;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", api_path);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	n = snprintf(text, sizeof(text), "%s /api/v1%s HTTP/1.1\r\n"
	    "Host: localhost\r\nConnection: close\r\n\r\n", method, path);
	assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
	return fd;
}

/* The status of the answer; 0 if there is none in time. */
static int
status_of(int fd)
{
	char text[64] = "";
	int status = 0;

	if (recv(fd, text, sizeof(text) - 1, MSG_WAITALL) <= 0 ||
	    sscanf(text, "HTTP/1.1 %d", &status) != 1)
		status = 0;
	close(fd);
	return status;
}

/* A run that is being analysed cannot be deleted until that is done. The
 * request waits; others are served. */
TEST_WITH(who_waits_for_a_job_is_in_nobodys_way, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	int64_t number = 0;
	int fd[WAITING], i, gone = 0, status;

	assert_int_equal(store_run_add(service->writer, FIXTURE_RUN, NULL, 0,
	    &number, &e), STORE_OK);
	assert_int_equal(store_run_state(service->writer, number, "finished",
	    &e), STORE_OK);
	assert_int_equal(claim_take(service, FIXTURE_RUN, false), 0);
	for (i = 0; i < WAITING; i++)
		fd[i] = ask("DELETE", "/runs/1");
	for (i = 0; i < WAITING; i++)
		assert_int_equal(status_of(ask("GET", "/version")), 200);
	claim_drop(service, FIXTURE_RUN);
	for (i = 0; i < WAITING; i++) {
		status = status_of(fd[i]);
		gone += status == 204;
		assert_true(status == 204 || status == 404);
	}
	assert_int_equal(gone, 1);
}

/* --- over TCP ---------------------------------------------------------------- */

#define CROWD 300	/* more connections than allowed */

static int port;
static char token[65];

static void
open_tcp(void)
{
	struct error e = ERROR_INIT;
	char url[200];

	assert_int_equal(http_open_tcp(http, 0, &e), 0);
	assert_int_equal(http_url(http, url, sizeof(url)), 0);
	assert_int_equal(sscanf(url, "http://127.0.0.1:%d/#token=%64s", &port,
	    token), 2);
}

static int
connect_tcp(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
	    .sin_port = htons((uint16_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	struct timeval patience = { 20, 0 };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* The status of GET ${path} with the token; the connection stays open. */
static int
ask_tcp(int fd, const char *path)
{
	char text[4096];
	int n, status = 0;

	n = snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\n"
	    "Host: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n\r\n", path,
	    port, token);
	if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n ||
	    (n = (int)recv(fd, text, sizeof(text) - 1, 0)) <= 0)
		return 0;
	text[n] = '\0';
	return sscanf(text, "HTTP/1.1 %d", &status) == 1 ? status : 0;
}

/* Connections without the token must not prevent clients with the token from
 * connecting. */
TEST_WITH(a_crowd_without_the_token_is_in_nobodys_way, set_up, tear_down)
{
	int crowd[CROWD], i, fd, late;

	open_tcp();
	fd = connect_tcp();
	assert_int_equal(ask_tcp(fd, "/api/v1/version"), 200);
	for (i = 0; i < CROWD; i++) {
		crowd[i] = connect_tcp();
		/* Half of them have sent the beginning of a request. */
		if (i % 2 == 0)
			send(crowd[i], "GET / HT", 8, MSG_NOSIGNAL);
	}
	late = connect_tcp();
	assert_int_equal(ask_tcp(late, "/api/v1/version"), 200);
	/* Nor do they end an existing connection. */
	assert_int_equal(ask_tcp(fd, "/api/v1/version"), 200);
	for (i = 0; i < CROWD; i++)
		close(crowd[i]);
	close(late);
	close(fd);
}

/* A header that arrives byte by byte. Clients with the token get more time. */
TEST_WITH(a_guest_has_little_time, set_up, tear_down)
{
	char c = 'G';
	int fd, guest, i;

	open_tcp();
	fd = connect_tcp();
	assert_int_equal(ask_tcp(fd, "/api/v1/version"), 200);
	guest = connect_tcp();
	for (i = 0; i < 60; i++) {
		if (send(guest, &c, 1, MSG_NOSIGNAL) != 1 ||
		    recv(guest, &c, 1, MSG_DONTWAIT | MSG_PEEK) == 0)
			break;
		sleep(1);
	}
	assert_int_not_equal(i, 60);
	assert_int_equal(ask_tcp(fd, "/api/v1/version"), 200);
	close(guest);
	close(fd);
}
