#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/client.h"
#include "report/text_util.h"

#include "cli/command.h"

/* The address comes from our own daemon, and goes to xdg-open as one argument:
 * no shell reads it. */
static int
open_browser(const char *url, struct error *e)
{
	pid_t pid;
	int status = 0;

	if ((pid = fork()) < 0)
		return (error_set(e, "cannot fork:"));
	if (pid == 0) {
		execlp("xdg-open", "xdg-open", url, (char *)NULL);
		_exit(127);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return (0);
	return (error_set(e, "xdg-open could not open the address"));
}

int
cmd_dashboard(struct cli *cli, int argc, char **argv)
{
	struct error e = ERROR_INIT;
	json_t *body = NULL, *answer = NULL;
	const char *url;
	int rc, status = 0;

	(void)argc;
	(void)argv;
	if (cli->opt.port > 0)
		body = json_pack("{s:I}", "port", (json_int_t)cli->opt.port);
	rc = client_send(cli->client, "POST", "/dashboard", body, &answer, &e);
	json_decref(body);
	if (rc < 0)
		return (cli_error(cli, &e));
	url = field_text(answer, "url");
	if (url == NULL || strncmp(url, "http://", 7) != 0) {
		json_decref(answer);
		error_set(&e, "the daemon gave no address");
		return (cli_error(cli, &e));
	}
	if (cli->opt.open && open_browser(url, &e) != 0)
		status = cli_error(cli, &e);
	if (cli->opt.json)
		return (cli_json(cli, answer) | status);
	out_text(&cli->out, url);
	out_line(&cli->out);
	json_decref(answer);
	return (status);
}
