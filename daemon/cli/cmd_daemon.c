#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "cli/client.h"
#include "cli/daemon.h"
#include "report/text_util.h"

#include "cli/command.h"

#define STOP_MS 10000
#define GONE_S 2		/* for so long a killed process may seem to listen, until the
				 * system has taken it down */

/* Prints why the daemon is degraded, if it is. */
static void
print_problem(struct cli *cli, const json_t *problem)
{
	const char *remedy = field_text(problem, "remedy");
	char run[64];

	if (!json_is_object(problem))
		return;
	snprintf(run, sizeof(run), "run %.8s was not stored completely: ",
	    or_unknown(field_text(problem, "run")));
	out_style(&cli->out, STYLE_WARN);
	out_text(&cli->out, "  ");
	out_text(&cli->out, run);
	out_wrap(&cli->out, 4, or_unknown(field_text(problem, "text")));
	out_style(&cli->out, STYLE_PLAIN);
	if (remedy != NULL) {
		out_text(&cli->out, "  remedy: ");
		out_wrap(&cli->out, 4, remedy);
	}
}

static int
status(struct cli *cli)
{
	struct error e = ERROR_INIT;
	json_t *version = NULL, *health = NULL;
	char a[NUMBER_SIZE];

	if (!daemon_answers(&e)) {
		if (cli->opt.json)
			cli_json(cli, json_pack("{s:b}", "running", 0));
		else
			cli_error(cli, &e);
		return EXIT_FAILED;
	}
	if (cli->client == NULL && (cli->client = daemon_client(&e)) == NULL)
		return cli_error(cli, &e);
	if (client_get(cli->client, "/version", &version, &e) < 0 ||
	    client_get(cli->client, "/health", &health, &e) < 0) {
		json_decref(version);
		return cli_error(cli, &e);
	}
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:b, s:i, s:o, s:o}",
		    "running", 1, "pid", (int)daemon_pid(), "version", version,
		    "health", health));
	out_format(&cli->out, "cudadvised %s is running (%s), process %d",
	    or_unknown(field_text(version, "version")),
	    or_unknown(field_text(health, "status")), (int)daemon_pid());
	if (!isnan(field_number(health, "uptime_s")))
		out_format(&cli->out, ", up %s", number_seconds(a,
		    field_number(health, "uptime_s")));
	out_line(&cli->out);
	print_problem(cli, json_object_get(health, "problem"));
	json_decref(version);
	json_decref(health);
	return 0;
}

/* Does what listens answer? A daemon that was killed a moment ago does not. */
static bool
is_alive(void)
{
	struct client *c = daemon_client(NULL);
	json_t *version = NULL;
	bool alive = c != NULL && client_get(c, "/version", &version, NULL) >= 0;

	json_decref(version);
	client_free(c);
	return alive;
}

static int
start(struct cli *cli)
{
	const struct timespec step = { 0, 50000000L };
	struct error e = ERROR_INIT;
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (;;) {
		if (daemon_ensure(&e) != 0)
			return cli_error(cli, &e);
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (is_alive() || now.tv_sec - begin.tv_sec > GONE_S)
			break;
		nanosleep(&step, NULL);
	}
	if (!daemon_answers(NULL)) {
		daemon_failed(&e, "the daemon ended just after it was ready",
		    "");
		return cli_error(cli, &e);
	}
	return cli->opt.quiet ? 0 : status(cli);
}

/* Has the daemon ended? It closes its socket first, then stores live runs, and
 * gives up its lock last: until then no other can start. */
static bool
has_ended(pid_t pid)
{

	return !daemon_answers(NULL) && (pid == 0 || daemon_pid() != pid ||
	    (kill(pid, 0) != 0 && errno == ESRCH));
}

static int
stop(struct cli *cli)
{
	const struct timespec step = { 0, 20000000L };
	struct error e = ERROR_INIT;
	pid_t pid = daemon_pid();
	int waited;

	if (!daemon_answers(NULL)) {
		cli_note(cli, "no daemon runs");
		return 0;
	}
	if ((cli->client = daemon_client(&e)) == NULL ||
	    client_send(cli->client, "POST", "/shutdown", NULL, NULL, &e) < 0)
		return cli_error(cli, &e);
	for (waited = 0; waited < STOP_MS; waited += 20) {
		if (has_ended(pid))
			return 0;
		nanosleep(&step, NULL);
	}
	error_set(&e, "the daemon has not stopped within %d s",
	    STOP_MS / 1000);
	return cli_error(cli, &e);
}

int
cmd_daemon(struct cli *cli, int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(struct cli *);
	} verbs[] = {
		{ "start", start }, { "stop", stop }, { "status", status },
	};
	struct error e = ERROR_INIT;
	size_t i;

	(void)argc;
	for (i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(argv[0], verbs[i].name) == 0)
			return verbs[i].run(cli);
	error_set(&e, "daemon: '%.60s' is none of: start stop status",
	    argv[0]);
	cli_error(cli, &e);
	return EXIT_USAGE;
}
