/* The HTTP server beside work that takes its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/config.h"
#include "base/error.h"
#include "base/log.h"
#include "http/server.h"
#include "ingest/internal.h"
#include "unit/fixtures.h"

#define WAITING 4

static char *top;
static char socket_path[100];
static struct config config;
static struct service *service;
static struct http *http;

static int
set_up(void **state)
{
	struct service_options o = { .listen_fd = -1, .config = &config };
	struct http_options h = { .unix_path = socket_path, .listen_fd = -1 };
	struct error e = ERROR_INIT;

	(void)state;
	config_init(&config);
	o.state = top = fixture_mkdir();
	snprintf(socket_path, sizeof(socket_path), "%s/api.sock", top);
	service = service_start(&o, &e);
	assert_non_null(service);
	http = http_start(&h, service, &e);
	assert_non_null(http);
	return (0);
}

static int
tear_down(void **state)
{

	(void)state;
	claim_drop(service, FIXTURE_RUN);
	http_stop(http);
	service_stop(service);
	fixture_rmdir(top);
	return (0);
}

/* A connection on which ${method} ${path} was asked. */
static int
ask(const char *method, const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct timeval patience = { 5, 0 };
	char text[200];
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), n;

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", socket_path);
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	n = snprintf(text, sizeof(text), "%s /api/v1%s HTTP/1.1\r\n"
	    "Host: localhost\r\nConnection: close\r\n\r\n", method, path);
	assert_int_equal(send(fd, text, (size_t)n, MSG_NOSIGNAL), n);
	return (fd);
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
	return (status);
}

/* A run that is analysed cannot be deleted before that is over. Who wants it
 * waits; others are served. */
static void
who_waits_for_a_job_is_in_nobodys_way(void **state)
{
	struct error e = ERROR_INIT;
	int64_t number = 0;
	int fd[WAITING], i, gone = 0, status;

	(void)state;
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
		    who_waits_for_a_job_is_in_nobodys_way, set_up, tear_down),
	};

	log_setup(LOG_LEVEL_ERROR, false);
	return (cmocka_run_group_tests(tests, NULL, NULL));
}
