#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "compare/trial.h"
#include "report/json.h"

#include "cli/command.h"

int
cli_error(struct cli *cli, const struct error *e)
{
	struct out *o = &cli->err;

	out_style(o, STYLE_BAD);
	out_text(o, "cudadvise: ");
	out_style(o, STYLE_PLAIN);
	out_wrap(o, 2, e->text);
	if (e->remedy[0] != '\0') {
		out_text(o, "  ");
		out_wrap(o, 2, e->remedy);
	}
	return EXIT_FAILED;
}

void
cli_note(struct cli *cli, const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	if (cli->opt.quiet)
		return;
	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	out_text(&cli->err, "cudadvise: ");
	out_wrap(&cli->err, 2, s);
	free(s);
}

int
cli_json(struct cli *cli, json_t *j)
{
	struct error e = ERROR_INIT;
	size_t flags = JSON_INDENT(2);
	json_t *top;

	if (j == NULL) {
		error_memory(&e);
		return cli_error(cli, &e);
	}
	if (json_object_get(j, "schema_version") == NULL) {
		top = json_pack("{s:i}", "schema_version", SCHEMA_VERSION);
		json_object_update(top, j);
		json_decref(j);
		j = top;
	}
	/* A program's strings must not reach a terminal unescaped. */
	if (isatty(fileno(cli->out.file)))
		flags |= JSON_ENSURE_ASCII;
	json_dumpf(j, cli->out.file, flags);
	putc('\n', cli->out.file);
	json_decref(j);
	return 0;
}

int
cli_trial(struct cli *cli, const json_t *trial)
{
	enum trial_verdict v = trial_verdict(trial);

	if (cli->opt.json)
		cli_json(cli, json_incref((json_t *)trial));
	else
		text_trial(&cli->out, trial);
	return v == VERDICT_SLOWER ? EXIT_WORSE : v == VERDICT_INCONCLUSIVE ?
	    EXIT_INCONCLUSIVE : 0;
}
