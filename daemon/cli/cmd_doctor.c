#include <string.h>

#include "cli/doctor.h"

#include "cli/command.h"

static const char *const level_word[] = {
	[CHECK_OK] = "ok", [CHECK_WARN] = "warn", [CHECK_FAIL] = "fail",
};

static void
print_check(struct cli *cli, const char *name, const struct check_result *r)
{
	static const enum out_style styles[] = {
		[CHECK_OK] = STYLE_GOOD, [CHECK_WARN] = STYLE_WARN,
		[CHECK_FAIL] = STYLE_BAD,
	};
	struct out *o = &cli->out;

	if (cli->opt.quiet && r->level == CHECK_OK)
		return;
	out_style(o, styles[r->level]);
	out_cell(o, level_word[r->level], 5);
	out_style(o, STYLE_PLAIN);
	out_cell(o, name, 12);
	out_wrap(o, 17, r->text);
	if (r->remedy[0] != '\0') {
		out_spaces(o, 17);
		out_text(o, "remedy: ");
		out_wrap(o, 17, r->remedy);
	}
}

int
cmd_doctor(struct cli *cli, int argc, char **argv)
{
	struct check_result r;
	json_t *items = json_array();
	int status = 0;
	size_t i;

	(void)argc;
	(void)argv;
	for (i = 0; i < doctor_check_count; i++) {
		memset(&r, 0, sizeof(r));
		doctor_checks[i].run(&r);
		if (r.level == CHECK_FAIL)
			status = EXIT_FAILED;
		if (!cli->opt.json)
			print_check(cli, doctor_checks[i].name, &r);
		json_array_append_new(items, json_pack("{s:s, s:s, s:s, s:o}",
		    "name", doctor_checks[i].name,
		    "level", level_word[r.level], "text", r.text,
		    "remedy", r.remedy[0] != '\0' ? json_string(r.remedy) :
		    json_null()));
	}
	if (cli->opt.json)
		return cli_json(cli, json_pack("{s:b, s:o}", "ok",
		    status == 0, "items", items)) | status;
	json_decref(items);
	return status;
}
