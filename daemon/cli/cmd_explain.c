#include <string.h>

#include "report/json.h"
#include "report/text.h"
#include "rules/engine/finding.h"

#include "cli/command.h"

/* A rule whose id begins with, or else contains, what was typed: only for the
 * message. */
static const char *
near(const char *typed)
{
	size_t i;

	for (i = 0; i < rule_count(); i++)
		if (strncmp(rule_info(i)->id, typed, strlen(typed)) == 0)
			return rule_info(i)->id;
	for (i = 0; i < rule_count(); i++)
		if (strstr(rule_info(i)->id, typed) != NULL)
			return rule_info(i)->id;
	return NULL;
}

int
cmd_explain(struct cli *cli, int argc, char **argv)
{
	const struct rule_info *r = rule_find(argv[0]);
	struct error e = ERROR_INIT;
	const char *other;
	json_t *rule;

	(void)argc;
	if (r == NULL) {
		error_set(&e, "there is no rule '%.100s'", argv[0]);
		if ((other = near(argv[0])) != NULL)
			error_remedy(&e, "did you mean '%s'?", other);
		error_remedy(&e, "cudadvise rules lists them");
		return cli_error(cli, &e);
	}
	if ((rule = json_rule(r)) == NULL || cli->opt.json)
		return cli_json(cli, rule);
	text_rule(&cli->out, rule);
	json_decref(rule);
	return 0;
}
