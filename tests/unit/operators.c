/*
 * Kernel time by operator and line: operators' names, how their time is
 * divided, and work without a line.
 */
#include <string.h>

#include "report/json.h"
#include "report/operators.h"

#include "unit/advise.h"
#include "unit/noun.h"

#define MULTIPLY "void at::native::vectorized_elementwise_kernel<4, " \
	"at::native::MulFunctor<float>, std::array<char*, 2ul> >(int)"

static struct site_frame frames[3][3];
static struct site sites[3];

/* Site ${i}: ${count} stacks from Python line ${line}; 0: without Python. */
static void
launched(struct made *m, size_t i, uint32_t kernel, uint64_t count,
    uint32_t line, const char *function)
{
	frames[i][0] = (struct site_frame){ .file = "/home/me/model.py",
	    .line = line, .function = "forward", .python = line > 0 };
	frames[i][1] = (struct site_frame){ .function = function,
	    .module = "libtorch_cpu.so" };
	frames[i][2] = (struct site_frame){
	    .function = "torch::autograd::Engine::thread_main(int)" };
	sites[i] = (struct site){ .call = CALL_LAUNCH, .kernel = kernel,
	    .count = count, .frame = line > 0 ? frames[i] : frames[i] + 1,
	    .frames = 2 };
	m->run.site = sites;
	m->run.sites = i + 1;
}

static const struct operator_row *
row_of(const struct operators *o, const char *name, uint32_t line)
{
	for (size_t i = 0; i < o->rows; i++)
		if (strcmp(o->row[i].name, name) == 0 && o->row[i].line == line)
			return &o->row[i];
	return NULL;
}

/* By launch site: the innermost operator, without its overload name. */
MADE_TEST(test_by_place)
{
	const struct operator_row *r;
	struct operators o;

	made_kernel(m, MULTIPLY, 1000, 100000);
	launched(m, 0, 1, 3, 7, "at::_ops::mul_Tensor::call(at::Tensor&)");
	launched(m, 1, 1, 1, 9, "at::_ops::mul__Scalar::call(at::Tensor&)");
	launched(m, 2, 1, 4, 0, "at::_ops::native_layer_norm::redispatch(int)");
	assert_int_equal(operators_of(&o, &m->run), 0);
	assert_true(o.framework);
	assert_int_equal(o.rows, 3);
	r = row_of(&o, "aten::mul", 7);
	assert_non_null(r);
	assert_true(r->s > 0.0374 && r->s < 0.0376);	/* 3 of 8 */
	assert_string_equal(r->library, "PyTorch");
	assert_string_equal(r->operation, "elementwise");
	assert_string_equal(r->function, "forward");
	assert_non_null(row_of(&o, "aten::mul_", 9));
	r = row_of(&o, "aten::native_layer_norm", 0);
	assert_ptr_equal(r, &o.row[0]);
	assert_true(r->backward && r->file == NULL);
	operators_free(&o);
}

/* The launch sites are unknown: by the kernels' names. */
MADE_TEST(test_by_name)
{
	struct operators o;

	made_kernel(m, MULTIPLY, 1000, 100000);
	made_kernel(m, MULTIPLY, 1000, 50000);
	made_kernel(m, "cupy_true_divide__float32_float32_float32", 10, 1000);
	made_kernel(m, "triton_poi_fused_add_mul_0", 10, 1000);
	made_kernel(m, "own_kernel", 10, 1000);
	assert_int_equal(operators_of(&o, &m->run), 0);
	assert_int_equal(o.rows, 4);
	assert_int_equal(row_of(&o, "elementwise", 0)->kernels, 2);
	assert_non_null(row_of(&o, "cupy.true_divide", 0));
	assert_non_null(row_of(&o, "triton_poi_fused_add_mul_0", 0));
	assert_null(row_of(&o, "own_kernel", 0)->library);
	operators_free(&o);
}

/* With a fill a benchmark clears the cache between its launches: nobody wrote that. It is
 * part of the time that has no row. */
MADE_TEST(test_fills_of_trials)
{
	json_t *o;

	made_kernel(m, "void at::native::vectorized_elementwise_kernel<4, "
	    "at::native::FillFunctor<float>, std::array<char*, 1ul> >(int)", 1000, 100000);
	launched(m, 0, 1, 1, 7, "at::_ops::fill__Scalar::call(at::Tensor&)");
	launched(m, 1, 1, 3, 149, "at::_ops::fill__Scalar::call(at::Tensor&)");
	o = json_operators(&m->run);
	assert_int_equal(json_array_size(json_object_get(o, "items")), 2);
	json_decref(o);
	frames[1][0].file = "/x/site-packages/triton/testing.py";
	frames[1][0].function = "do_bench";
	o = json_operators(&m->run);
	assert_int_equal(json_array_size(json_object_get(o, "items")), 1);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(
	    json_object_get(o, "items"), 0), "line")), 7);
	assert_float_equal(json_number_value(json_object_get(o, "rest_s")), 0.075, 1e-9);
	assert_float_equal(json_number_value(json_object_get(o, "kernel_s")), 0.1, 1e-9);
	json_decref(o);
}

/* A CUDA C++ program has kernels, but no operators. */
MADE_TEST(test_no_framework)
{
	json_t *o;

	made_kernel(m, "own_kernel", 10, 1000);
	o = json_operators(&m->run);
	assert_noun(o, "Operators");
	assert_noun(json_array_get(json_object_get(o, "items"), 0), "Operator");
	assert_true(json_is_false(json_object_get(o, "framework")));
	json_decref(o);
}

/* Names from a hostile capture are cut at the available room. */
MADE_TEST(test_long_names)
{
	static char name[400] = "at::_ops::", cupy[400] = "cupy_";
	struct operators o;

	memset(name + 10, 'x', 300);
	memset(cupy + 5, 'y', 300);
	made_kernel(m, MULTIPLY, 10, 1000);
	made_kernel(m, cupy, 10, 1000);
	made_kernel(m, "\xc3\xa4\xc3", 10, 1000);
	launched(m, 0, 1, 3, 7, name);
	assert_int_equal(operators_of(&o, &m->run), 0);
	assert_int_equal(o.rows, 3);
	for (size_t i = 0; i < o.rows; i++)
		assert_true(strlen(o.row[i].name) < sizeof(o.row[i].name));
	operators_free(&o);
}
