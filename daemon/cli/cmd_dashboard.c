#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/client.h"
#include "report/text_util.h"

#include "cli/command.h"

/* The address comes from our own daemon, and is passed to xdg-open as one
 * argument, without a shell. Everyone on the machine can see it in ps. */
static int
open_browser(const char *url, struct error *e)
{
	pid_t pid;
	int status = 0;

	if ((pid = fork()) < 0)
		return error_set(e, "cannot fork:");
	if (pid == 0) {
		execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return error_set(e, "xdg-open could not open the address");
}

static bool
is_address(const char *url)
{
	return url != NULL && strncmp(url, "http://", 7) == 0;
}

static bool
is_set(const char *variable)
{
	const char *v = getenv(variable);

	return v != NULL && *v != '\0';
}

/* Is the user at a desktop? A script or a remote user gets only the address. */
static bool
has_browser(const struct cli *cli)
{
	return !cli->opt.no_open && !cli->opt.json &&
	    isatty(fileno(cli->out.file)) && !is_set("SSH_CONNECTION") &&
	    (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY"));
}

int
cmd_dashboard(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	json_t *body = json_object(), *answer = NULL;
	bool asked = cli->opt.open, opens = asked || has_browser(cli);
	const char *url, *open;
	int rc, status = 0;

	(void)argc;
	(void)argv;
	if (cli->opt.port > 0)
		json_object_set_new(body, "port",
		    json_integer(cli->opt.port));
	if (opens)
		json_object_set_new(body, "open", json_true());
	rc = client_send(cli->client, "POST", "/dashboard", body, &answer, &e);
	json_decref(body);
	if (rc < 0)
		return cli_error(cli, &e);
	url = field_text(answer, "url");
	open = field_text(answer, "open_url");
	if (!is_address(url) || (opens && !is_address(open))) {
		json_decref(answer);
		error_set(&e, "the daemon gave no address");
		return cli_error(cli, &e);
	}
	/* If not asked for, opening is a courtesy: the address is printed in
	 * any case. */
	if (opens && open_browser(open, &e) != 0 && asked)
		status = cli_error(cli, &e);
	if (cli->opt.json)
		return cli_json(cli, answer) | status;
	out_text(&cli->out, url);
	out_line(&cli->out);
	json_decref(answer);
	return status;
}
