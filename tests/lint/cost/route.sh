# A route of a run document: /runs/{id}/examples, a list.
api='/api/v1/runs/{id}'

add() {
	row daemon/report/document.def 'DOCUMENT(examples, "examples", RUN, LIST,
	    ALWAYS, RUN, "/examples", "listExamples", "Examples of a run")'
	cat >daemon/report/json_example.c <<-'END'
		#include "model/model.h"
		#include "report/json.h"

		json_t *
		json_examples(const struct run *r)
		{

			return (json_pack("[{s:I}]", "kernels",
			    (json_int_t)r->kernels));
		}
	END
	change config/openapi.json jq --arg from "$api/diagnostics" \
	    --arg to "$api/examples" '.paths[$to] = .paths[$from] |
	    .paths[$to].get.operationId = "listExamples" |
	    .paths[$to].get.summary = "Examples of a run"'
	row tests/unit/json.c 'TEST_WITH(examples_shape, setup, NULL)
{
	json_t *list = json_examples(&f.run);

	assert_int_equal(json_array_size(list), 1);
	json_decref(list);
}'
}

works() {
	local said
	program unit-route daemon/report/json_example.c \
	    daemon/report/document.c daemon/report/analyse.c daemon/http/routes.c \
	    daemon/http/assets.c daemon/http/documents.c \
	    daemon/report/format_json.c
	said=$("$scratch/bin/unit-route" 2>&1) || fail "$said"
	said=$(cc -fsyntax-only -std=c11 -Wall -Werror -D_GNU_SOURCE -I daemon \
	    -I injection -I tests tests/unit/json.c 2>&1) || fail "$said"
}
