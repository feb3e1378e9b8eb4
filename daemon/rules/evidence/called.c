/*
 * rules/evidence/called.c: see called.h.
 *
 * The matrices' sizes are unknown, and mostly also what limits the kernel. If a
 * counter tells, it bounds the gain; otherwise the low view has none. So a
 * prediction is about the whole time of a launch.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/called.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"

/* Share of the ratio of the ceilings, as in tensor-cores-unused. */
static const double reached[VIEWS] = { 0.25, 0.6, 1 };

/* Without counters: the share of a launch that the pipe takes, half in the
 * middle view and the extremes in the others. */
static const double pipe_unknown[VIEWS] = { 0, 0.5, 1 };

/* With memory as the limit: all of it, less what becomes the limit then. */
static const double pipe_full[VIEWS] = { 0.6, 0.95, 1 };

/* PyTorch's operators over whole tensors ("vectorized" in their names) are memory-bound
 * once they fill the GPU: additions and products of 128 MB took 2.0 times as long in
 * double as in float, operators that compute each element's position 1.1 times (H200,
 * 2026-11-23). Operators with long functions per element may gain nothing. */
static const double pipe_streams[VIEWS] = { 0.3, 0.95, 1 };

/* The share of a launch's time that is proportional to the bytes moved. */
static const double *
bytes_share(const struct rule_view *x)
{
	const struct kernel *k = x->kernel;

	if (rule_is_bound(x, RES_DRAM))
		return pipe_full;
	return rule_is_blind(x) && library_fills(x->run, x->kernel) && k->name != NULL &&
	    strstr(k->name, "vectorized_elementwise_kernel") != NULL ?
	    pipe_streams : pipe_unknown;
}

/* The share of a launch that is left if the part for which a resource is ${busy} runs
 * ${ratio} times as fast, limited by DRAM. */
static double
left_of(const struct rule_view *x, double busy, double ratio, enum gain_view v)
{
	double dram = rule_busy(x, RES_DRAM), left;

	if (isnan(busy))
		busy = pipe_unknown[v];
	/* If the resource is saturated, it accounts for the rest of the time, too. */
	if (v == VIEW_HIGH && busy >= 0.8)
		busy = 1;
	left = 1 - busy + busy / fmax(1, reached[v] * ratio);
	return fmin(1, fmax(left, isfinite(dram) ? dram : 0));
}

static void
set_left(struct draft *d, const double left[VIEWS])
{
	for (int v = 0; v < VIEWS; v++)
		d->fix[v].whole = left[v];
}

/* Is the kernel launched by ${framework} (${part} in a module's name)? Without
 * launch sites: is it a Python program with kernels of that framework's own? */
static bool
is_called_by(const struct rule_view *x, const char *part, const char *framework)
{
	if (library_launched_by(x->run, x->kernel, part))
		return true;
	if (x->run->sites > 0 || !lines_python(x->run))
		return false;
	for (size_t i = 0; i < x->run->kernels; i++)
		if (x->libraries[i].name != NULL &&
		    strcmp(x->libraries[i].name, framework) == 0)
			return true;
	return false;
}

/* From so many shapes of convolutions on, FP32 is what the program asks for. Arithmetic:
 * where TF32 is allowed, FP32 may be the best that there is for an image's one or three
 * channels: the first layer's forward pass, the gradient of its weights, and both again
 * for a last, smaller batch. */
#define SHAPES_ASKED 5

/* Are the run's convolutions of the view's library without tensor cores? None of its
 * kernels is known to use them, in any library, and the names of most of these
 * convolutions, by launches, say FP32. */
static bool
in_fp32(const struct rule_view *x)
{
	double known = 0, unknown = 0;
	size_t shapes = 0;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct library *l = &x->libraries[i];

		if (l->name == NULL)
			continue;
		if (l->precision != NULL && l->tensor)
			return false;
		if (!library_does(l, "convolution") ||
		    strcmp(l->name, x->library->name) != 0)
			continue;
		if (l->precision == NULL) {
			unknown += (double)x->run->kernel[i].launches;
		} else if (strcmp(l->precision, "FP32") == 0) {
			known += (double)x->run->kernel[i].launches;
			shapes++;
		}
	}
	return shapes >= SHAPES_ASKED && known > unknown;
}

/* The same, looked at once for all kernels of a library. */
static bool
asks_fp32(struct rule_view *x)
{
	if (!library_does(x->library, "convolution"))
		return false;
	if (x->convolves == NULL || strcmp(x->convolves, x->library->name) != 0) {
		x->convolves = x->library->name;
		x->convolves_fp32 = in_fp32(x);
	}
	return x->convolves_fp32;
}

/* Does a framework do the run's convolutions itself, as products, and none is cuDNN's? */
static bool
without_cudnn(const struct rule_view *x)
{
	bool unrolled = false;

	for (size_t i = 0; i < x->run->kernels; i++) {
		const struct library *l = &x->libraries[i];

		if (l->name != NULL && strcmp(l->name, "cuDNN") == 0 &&
		    library_does(l, "convolution"))
			return false;
		unrolled |= library_unrolled(x->run, &x->run->kernel[i]) == UNROLLED_COPY;
	}
	return unrolled;
}

static const char *
how_to_tf32(const struct rule_view *x, bool convolution)
{
	if (is_called_by(x, "libtorch", "PyTorch") && without_cudnn(x))
		return "torch.set_float32_matmul_precision('high'), or "
		    "torch.autocast('cuda', torch.bfloat16) around the model";
	if (is_called_by(x, "libtorch", "PyTorch"))
		return "torch.set_float32_matmul_precision('high') "
		    "(convolutions: torch.backends.cudnn.allow_tf32 = True), or "
		    "torch.autocast('cuda', torch.bfloat16) around the model";
	if (is_called_by(x, "xla", "XLA") || is_called_by(x, "jax", "XLA"))
		return "jax.config.update('jax_default_matmul_precision', "
		    "'tensorfloat32'), or bfloat16 arrays";
	if (is_called_by(x, "cupy", "CuPy"))
		return "set CUPY_TF32=1 in the environment, or use float16 "
		    "arrays";
	if (convolution)
		return "cudnnSetConvolutionMathType(conv, CUDNN_DEFAULT_MATH): "
		    "CUDNN_FMA_MATH forbids TF32 (PyTorch: "
		    "torch.backends.cudnn.allow_tf32 = True, as it is by default)";
	return "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH), or "
	    "CUBLAS_COMPUTE_32F_FAST_TF32 as compute type (PyTorch: "
	    "torch.set_float32_matmul_precision('high'); CuPy: CUPY_TF32=1)";
}

static struct draft *
begin(struct rule_view *x)
{
	struct draft *d = rule_found(x, NULL);

	d->f.confidence = rule_is_blind(x) || x->library->precision == NULL ?
	    CONF_LOW : CONF_MEDIUM;
	if (x->library->precision == NULL)
		return d;
	rule_evidence(x, d, "precision", NAN, arena_format(x->arena,
	    "%s, by the kernel's name: %s%s", x->library->name,
	    x->library->precision, x->library->tensor ? "" :
	    " without tensor cores"), .derived = "kernel name", .unit = "");
	return d;
}

/* How busy what limits the view's kernel is that tensor cores would relieve; NaN: not
 * counted. Where the name does not tell, a loop with more instructions around its
 * multiply-adds is likely, as of cuDNN's direct convolutions: all of it is replaced. */
static double
tensor_busy(const struct rule_view *x)
{
	double fma = rule_busy(x, RES_FMA);

	return x->library->precision != NULL ? fma :
	    fmax(fma, rule_busy(x, RES_ISSUE));
}

/* Do most stacks of its launches have a function on them that tries out variants? */
static bool
is_tried(const struct rule_view *x)
{
	size_t end, i = site_launches(x->run->site, x->run->sites, x->kernel->id, &end);
	size_t all = 0, tried = 0;

	for (; i < end; i++) {
		const struct site *s = &x->run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != x->kernel->id)
			continue;
		all++;
		tried += framework_tunes(s);
	}
	return 2 * tried > all;
}

static const char *
tensor_note(const struct rule_view *x, double busy)
{
	if (x->library->precision == NULL)
		return arena_format(x->arena, "between nothing and the ratio of the "
		    "ceilings: the names of most of the time's kernels do not tell "
		    "their precision%s; results lose precision", is_tried(x) ?
		    "; much of it is in trials of algorithms, which come once for each "
		    "shape, and which are others with TF32" : "");
	return isfinite(busy) ? "between a quarter and all of the "
	    "ratio of the ceilings, as far as DRAM delivers; results lose "
	    "precision" : "between nothing and the ratio of the ceilings: how "
	    "busy the FMA pipe is was not counted; results lose precision";
}

/* The same as code; ${convolution} as above. */
static void
tensor_code(const struct rule_view *x, struct draft *d, bool convolution)
{
	d->f.bad_code = "y = x @ w                       # float32";
	if (is_called_by(x, "libtorch", "PyTorch"))
		d->f.good_code = "torch.set_float32_matmul_precision('high')\n"
		    "y = x @ w                       # TF32";
	else if (is_called_by(x, "xla", "XLA") || is_called_by(x, "jax", "XLA"))
		d->f.good_code = "jax.config.update('jax_default_matmul_precision', "
		    "'tensorfloat32')\n"
		    "y = x @ w                       # TF32";
	else if (is_called_by(x, "cupy", "CuPy"))
		d->f.good_code = "os.environ[\"CUPY_TF32\"] = \"1\"    # before import cupy\n"
		    "y = x @ w                       # TF32";
	else if (convolution) {
		d->f.bad_code = "cudnnSetConvolutionMathType(conv, CUDNN_FMA_MATH);";
		d->f.good_code = "cudnnSetConvolutionMathType(conv, CUDNN_DEFAULT_MATH);";
	} else {
		d->f.bad_code = "cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);";
		d->f.good_code = "cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);";
	}
}

/* Sets what the finding ${d} says. ${off}: it is of convolutions, none of which uses TF32. */
static void
say_tensor(const struct rule_view *x, struct draft *d, bool off)
{
	d->f.summary = arena_format(x->arena, "%s, FP32 without tensor cores%s",
	    x->library->name, x->library->precision != NULL ? "" :
	    ", as the run's other convolutions");
	d->f.advice = arena_format(x->arena, "%s; 10 bits of the "
	    "factors' mantissa have to do (FP32 has 23), range and sums stay as "
	    "they are", how_to_tf32(x, off));
	tensor_code(x, d, off);
	d->variant = off ? "convolution" : NULL;
}

/* What is left of the copies of an image's windows where cuDNN reads the image itself: at worst
 * half, as it may bring images and weights into another order, and read them in several passes
 * (arithmetic). */
static const double copies_left[VIEWS] = { 0.5, 0.1, 0 };

/* A convolution that PyTorch does itself, since cuDNN is off: the copies of its windows go, and
 * of the product, ${busy} with multiply-adds, what TF32 saves, which is cuDNN's default; in the
 * low view nothing, as cuDNN may be told to compute in FP32. */
static enum rule_state
call_cudnn(struct rule_view *x, double ratio, double busy, bool copy)
{
	struct draft *d = rule_found(x, NULL);
	double left[VIEWS];

	for (int v = 0; v < VIEWS; v++)
		left[v] = copy ? copies_left[v] : v == VIEW_LOW ? 1 :
		    left_of(x, busy, ratio, (enum gain_view)v);
	set_left(d, left);
	d->setting = "cuDNN";
	d->variant = "unrolled";
	d->f.confidence = CONF_MEDIUM;
	rule_evidence(x, d, "function", NAN, "launched by PyTorch's own convolution, "
	    "slow_conv; no convolution of the run is cuDNN's", .derived =
	    "call stacks, kernel names", .unit = "");
	if (!copy && isfinite(busy))
		rule_evidence(x, d, "busy_ratio", busy, "the FMA pipe busy",
		    .derived = "counters");
	if (!copy)
		rule_evidence(x, d, "ceiling_ratio", ratio,
		    "tensor cores over the FMA pipe, TF32", .estimated = "data sheets");
	d->f.title = "convolutions without cuDNN";
	d->f.summary = arena_format(x->arena, "cuDNN is off, or does not take these "
	    "convolutions: PyTorch copies the windows of each image into a matrix "
	    "(im2col), and multiplies that%s", copy ? "" : ", in FP32");
	d->f.advice = "let cuDNN do the convolutions, torch.backends.cudnn.enabled = True";
	d->f.gain_note = "copies of windows go, half of them at least; of the products what "
	    "TF32 saves, cuDNN's default, which has 10 bits of the factors' mantissa, and "
	    "nothing where that is off or cuDNN takes FP32";
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis");
	return rule_settle(x, d);
}

/* Is the view's kernel of such a convolution: a ${copy} of windows, or the product in FP32? */
static bool
is_unrolled(const struct rule_view *x, bool *copy)
{
	enum library_unrolled is = library_unrolled(x->run, x->kernel);
	const struct library *l = x->library;

	*copy = is == UNROLLED_COPY;
	return (*copy || (is == UNROLLED_OTHER && l->precision != NULL && !l->tensor &&
	    strcmp(l->precision, "FP32") == 0 && library_does(l, "matmul"))) &&
	    without_cudnn(x);
}

enum rule_state
called_tensor(struct rule_view *x, double ratio, const char *type)
{
	const struct library *l = x->library;
	bool off = asks_fp32(x);
	double busy = tensor_busy(x), left[VIEWS];
	struct draft *d;
	bool copy;

	if (is_unrolled(x, &copy) && (copy || (strcmp(type, "TF32") == 0 &&
	    !(rule_metric(x, METRIC_PIPE_TENSOR) >= 1))))
		return call_cudnn(x, ratio, rule_busy(x, RES_FMA), copy);
	if (l->precision == NULL && !off)
		return rule_unmeasured(x, REASON_NO_PRECISION);
	if (l->tensor || (l->precision != NULL && strcmp(l->precision, "FP32") != 0) ||
	    rule_metric(x, METRIC_PIPE_TENSOR) >= 1 ||
	    strcmp(type, "TF32") != 0 || !library_fills(x->run, x->kernel) ||
	    busy < rule_value(x, "min_busy"))
		return RULE_CLEAN;
	d = begin(x);
	d->setting = "TF32";
	for (int v = 0; v < VIEWS; v++)
		left[v] = l->precision == NULL && v == VIEW_LOW ? 1 :
		    left_of(x, busy, ratio, (enum gain_view)v);
	set_left(d, left);
	if (l->precision == NULL)
		rule_evidence(x, d, "precision", NAN, arena_format(x->arena,
		    "%s, by the names of most of its convolutions: FP32 without "
		    "tensor cores", l->name), .derived = "kernel names",
		    .unit = "");
	if (isfinite(busy))
		rule_evidence(x, d, "busy_ratio", busy, l->precision != NULL ?
		    "the FMA pipe busy" : "the FMA pipe or the issue slots busy",
		    .derived = "counters", .key = "min_busy");
	rule_evidence(x, d, "ceiling_ratio", ratio,
	    "tensor cores over the FMA pipe, TF32", .estimated = "data sheets");
	say_tensor(x, d, off);
	d->f.gain_note = tensor_note(x, busy);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis");
	return rule_settle(x, d);
}

/* Is the kernel launched by a framework whose arrays are double by default?
 * (JAX must be told to make doubles.) */
static bool
is_of_arrays(const struct rule_view *x)
{
	return is_called_by(x, "libtorch", "PyTorch") ||
	    is_called_by(x, "cupy", "CuPy");
}

/* From this busy on, in percent, the FP64 pipe computes with the kernel's values: no
 * other instruction uses it. */
#define FP64_USED 5

/* The precision by the name or, for a framework's kernels whose names do not tell it (a
 * compiler's, of any types), by the counters; NULL: neither tells. */
static const char *
double_or_not(const struct rule_view *x)
{
	const struct library *l = x->library;
	double fp64 = rule_metric(x, METRIC_PIPE_FP64);

	if (l->precision != NULL || !l->framework || isnan(fp64))
		return l->precision;
	return fp64 >= FP64_USED ? "FP64" : "no FP64";
}

/* Does CuPy make a float array double as a number of NumPy's is? Its kernels are named after
 * the types of what they read and write: of Python's own numbers the result stays float. */
static bool
has_double_numbers(const struct run *run)
{
	static const char *const name[] = { "__float32_float_float64",
	    "__float_float32_float64" };

	for (size_t i = 0; i < run->kernels; i++)
		for (size_t n = 0; n < 2; n++)
			if (run->kernel[i].name != NULL &&
			    strstr(run->kernel[i].name, name[n]) != NULL)
				return true;
	return false;
}

/* What makes the values double, in the framework's words. */
static void
double_code(const struct rule_view *x, struct draft *d, bool framework)
{
	if (!framework) {
		d->f.bad_code = "cufftPlan2d(&plan, ny, nx, CUFFT_Z2Z);";
		d->f.good_code = "cufftPlan2d(&plan, ny, nx, CUFFT_C2C);";
	} else if (is_called_by(x, "cupy", "CuPy") && has_double_numbers(x->run)) {
		d->f.bad_code = "s = np.exp(-t / n)            # a number of np.float64\n"
		    "y = x / s                     # x: float32, y: float64";
		d->f.good_code = "s = float(np.exp(-t / n))     # Python's\n"
		    "y = x / s                     # float32";
	} else if (is_called_by(x, "cupy", "CuPy")) {
		d->f.bad_code = "x = cupy.random.rand(n)                   "
		    "# float64";
		d->f.good_code = "x = cupy.random.rand(n, dtype=cupy.float32)";
	} else {
		d->f.bad_code = "x = torch.from_numpy(np.random.rand(n))      "
		    "# float64";
		d->f.good_code = "x = torch.from_numpy(np.random.rand(n)"
		    ".astype(np.float32))";
	}
}

/* The same of the advice. */
static const char *
double_advice(const struct rule_view *x, bool framework)
{
	if (!framework)
		return "if the accuracy is not needed, call its functions for float "
		    "on float data (cufftExecC2C for cufftExecZ2Z, a spotrf for a "
		    "dpotrf), or, of a solver, those and one step of refinement "
		    "in double";
	if (is_called_by(x, "cupy", "CuPy") && has_double_numbers(x->run))
		return "give float32 arrays Python's numbers, float(s): a number of "
		    "NumPy's, an np.float64, makes what is computed with it double, and "
		    "all that follows; what is made as double, with dtype=cupy.float32";
	if (is_called_by(x, "cupy", "CuPy"))
		return "make the arrays float, if that is accurate enough "
		    "(dtype=cupy.float32, or x.astype(cupy.float32) once): half "
		    "the bytes; what NumPy and CuPy make is double unless it "
		    "says otherwise";
	return "make the arrays float, if that is accurate enough "
	    "(dtype=np.float32, or tensor.float() once); what NumPy makes is "
	    "double unless it says otherwise";
}

enum rule_state
called_double(struct rule_view *x, double rate)
{
	const struct library *l = x->library;
	bool framework = l->framework || is_of_arrays(x);
	const char *precision = double_or_not(x);
	struct draft *d;
	double left[VIEWS];

	if (precision == NULL)
		return rule_unmeasured(x, REASON_NO_PRECISION);
	if (strcmp(precision, "FP64") != 0)
		return RULE_CLEAN;
	d = begin(x);
	if (l->precision == NULL)
		rule_evidence(x, d, "busy_ratio", rule_busy(x, RES_FP64),
		    "the FP64 pipe busy",
		    .measured = metric_table[METRIC_PIPE_FP64].name);
	/* Half the bytes, which is all if memory is the limit; the pipe's rate
	 * if that is. If the limit is not known, it may be neither. */
	for (int v = 0; v < VIEWS; v++)
		left[v] = fmin(1 - 0.5 * bytes_share(x)[v], left_of(x,
		    rule_busy(x, RES_FP64), 1 / rate, (enum gain_view)v));
	set_left(d, left);
	/* Who calls a solver in double mostly wants doubles; a framework's
	 * arrays got the type of the first ones. */
	if (!framework)
		d->cap = SEV_LOW;
	else
		d->setting = "the arrays' type";
	d->f.confidence = CONF_LOW;
	d->f.summary = arena_format(x->arena, "%s, FP64: twice the bytes of "
	    "FP32, at %s of its rate", l->name, say_percent(x->arena, rate));
	d->f.advice = double_advice(x, framework);
	d->f.gain_note = "between nothing and half the time, by what limits it; "
	    "results lose precision";
	double_code(x, d, framework);
	d->f.next = say_ncu(x->arena, x->run, x->kernel, "--section "
	    "ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis");
	return rule_settle(x, d);
}
