/*
 * rules/evidence/access.c: the pattern of each global access.
 *
 * Sectors and ideal sectors are exact counts; the disassembly tells which pattern
 * causes their difference. Fields of one object are accesses from one base register
 * at small constant offsets, each of which wastes the sectors that the other fields
 * fill. A misaligned access needs exactly one sector more than its bytes fill; if
 * an access from the same base is aligned, or the base moves by less than a sector
 * per iteration, it is a window that slides over the data, which cannot be aligned.
 * Rows that begin anywhere because of their length are misaligned, too.
 * An access that needs as many sectors as the block's shape makes of a row is
 * attributed to that shape, unless its address was loaded. An access whose sectors
 * a whole warp would fill, though some lanes are inactive, is good.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"

#include "rules/evidence/access.h"
#include "facts/warp.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/lanes.h"
#include "rules/evidence/lines.h"
#include "source/operand.h"
#include "rules/evidence/shape.h"
#include "source/slice.h"

#define RATIO_GOOD 1.1		/* sectors / ideal: guards and edges */
#define WINDOW 128		/* bytes: what a warp reads of one row */
#define OBJECT_MOST 512		/* bytes: beyond it a row, not an object */
#define MANY_LANES 24
#define SCATTERED_LEAST 2	/* wavefronts / the fewest possible: see access.h */
#define SHIFTED_LEAST 0.97	/* sectors of a mean request beyond the ideal */
#define SHIFTED_MOST 1.03
#define EXACT 1e-6		/* counts that are the same in each request */
#define EDGES 0.01		/* of lanes and sectors: the last warp of 100, and
				 * the spread of rows drawn at random */
#define ROW_LEAST 1.9		/* sectors: a request with fewer is no row */
#define SLICES_MAX 128		/* addresses of a kernel that are examined */

/* An access with its address operand. */
struct access_place {
	uint32_t i;		/* instruction */
	uint32_t sass;
	int base, uniform;
	uint32_t version;	/* how often base was written before */
	int64_t offset;
};

COMPARE(by_base, struct access_place,
    ORDER(x->base, y->base) ?: ORDER(x->uniform, y->uniform) ?:
    ORDER(x->version, y->version) ?: ORDER(x->offset, y->offset) ?:
    ORDER(x->i, y->i))

static bool
is_same_base(const struct access_place *a, const struct access_place *b)
{
	return a->base == b->base && a->uniform == b->uniform &&
	    a->version == b->version;
}

/* Judges by counts and block shape alone: good, uniform, misaligned (one sector
 * more), cut up by the block's shape, or scattered. */
static void
judge_counts(struct judged_access *a, const struct kernel *kernel, size_t i)
{
	const struct code *c = kernel->code;
	double lanes = inst_lanes(c, i), sectors, ideal, over;

	a->requests = inst_value(c, i, SOURCE_INST);
	a->sectors = inst_value(c, i, SOURCE_GLOBAL_SECTORS);
	a->ideal = inst_value(c, i, SOURCE_GLOBAL_IDEAL);
	if (!(a->requests > 0) || !(a->sectors > 0))
		return;
	if (!(a->ideal > 0))
		a->ideal = a->sectors;
	sectors = a->sectors / a->requests;
	ideal = a->ideal / a->requests;
	over = sectors - ideal;
	a->pattern = PATTERN_SCATTERED;
	if (sectors < 1.1 && lanes >= MANY_LANES && inst_bytes(c, i) > 1)
		a->pattern = PATTERN_UNIFORM;
	else if (sectors < RATIO_GOOD * ideal)
		a->pattern = PATTERN_GOOD;
	else if (lanes >= MANY_LANES && shape_explains(kernel, sectors,
	    inst_bytes(c, i)))
		a->pattern = PATTERN_SHAPE;
	else if (over >= 0.6 && over <= 1.05 && lanes >= MANY_LANES &&
	    ideal >= ROW_LEAST)
		a->pattern = PATTERN_MISALIGNED;
}

/* Finds every access with a register address, sorted by base. */
static size_t
find_places(struct access_place *p, const struct accesses *a, const struct code *c)
{
	uint32_t version[REGISTERS] = { 0 };
	size_t n = 0;

	for (uint32_t s = 0; s < c->sass.instructions; s++) {
		size_t i = inst_of_sass(c, s);
		struct operands o;

		operands_of(&o, &c->sass.instruction[s]);
		if (i != SIZE_MAX && a->of[i].pattern != PATTERN_NONE &&
		    o.has_address && o.base != REGISTER_NONE)
			p[n++] = (struct access_place){ .i = (uint32_t)i, .sass = s,
			    .base = o.base, .uniform = o.uniform,
			    .version = version[o.base] + version[o.base + 1],
			    .offset = o.offset };
		for (int d = 0; d < o.defs && o.def + d < REGISTERS; d++)
			version[o.def + d]++;
	}
	qsort(p, n, sizeof(*p), by_base);
	return n;
}

/* Is an aligned access less than a row away? Places are sorted by offset. */
static void
mark_windows(struct accesses *a, const struct access_place *p, size_t n, int way)
{
	const struct access_place *aligned = NULL;

	for (size_t k = 0; k < n; k++) {
		const struct access_place *one = way > 0 ? &p[k] : &p[n - 1 - k];
		struct judged_access *of = &a->of[one->i];

		if (of->pattern == PATTERN_GOOD)
			aligned = one;
		else if (of->pattern == PATTERN_MISALIGNED &&
		    of->element % SECTOR == 0 && aligned != NULL &&
		    way * (one->offset - aligned->offset) < WINDOW)
			of->pattern = PATTERN_SLIDING;
	}
}

/* Finds windows: an aligned neighbour, or a base that moves by less than a sector. */
static void
judge_windows(struct accesses *a, const struct access_place *p, size_t n,
    int *slices)
{
	mark_windows(a, p, n, 1);
	mark_windows(a, p, n, -1);
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		struct slice s;

		if (one->pattern != PATTERN_MISALIGNED ||
		    one->element % SECTOR != 0)
			continue;
		if ((*slices)++ >= SLICES_MAX)
			break;
		slice_of(&s, a->slices, p[k].sass);
		if (s.step % SECTOR != 0)
			one->pattern = PATTERN_SLIDING;
	}
}

/* Bytes between the objects of two lanes, from the sectors per lane, or from
 * the factor of the index; 0 if it is no object. */
static int64_t
element_of(const struct accesses *a, const struct judged_access *one,
    const struct access_place *p, double bytes)
{
	double stride = one->sectors / one->ideal * bytes;
	struct slice s;

	slice_of(&s, a->slices, p->sass);
	/* A base that moves in small steps: a row, read piece by piece. */
	if (s.step > 0 && s.step < OBJECT_MOST && s.step % SECTOR != 0)
		return 0;
	if (s.step > 0 && s.step <= WINDOW)
		return 0;
	if (stride < SECTOR - 2)
		return llround(stride);
	return s.scale >= SECTOR - 2 && s.scale <= OBJECT_MOST ? s.scale : 0;
}

/* Finds the fields of one object among ${n} accesses of one base. */
static void
judge_fields(struct accesses *a, const struct code *c, const struct access_place *p,
    size_t n, uint32_t group, int *slices)
{
	int64_t first = 0, last = 0, element = 0, bytes = 0;
	size_t fields = 0;

	for (size_t k = 0; k < n; k++) {
		const struct judged_access *one = &a->of[p[k].i];

		if (one->pattern != PATTERN_SCATTERED ||
		    one->kind == INST_ATOMIC)
			continue;
		bytes = (int64_t)inst_bytes(c, p[k].i);
		if (bytes == 0)
			return;
		if (fields == 0 && (*slices)++ >= SLICES_MAX)
			return;
		if (fields == 0) {
			first = p[k].offset;
			element = element_of(a, one, &p[k], (double)bytes);
			if (element == 0)
				return;
		}
		if (fields == 0 || p[k].offset > last)
			fields++;
		last = p[k].offset;
	}
	if (fields < 2 || last + bytes - first > element + 1)
		return;
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];

		if (one->pattern != PATTERN_SCATTERED ||
		    one->kind == INST_ATOMIC)
			continue;
		one->pattern = PATTERN_FIELDS;
		one->element = (uint16_t)element;
		one->group = group;
	}
}

/*
 * Groups of lanes that each access a piece of whole sectors in a row, somewhere: a record
 * of the table. In every request each piece touches one sector more: the records begin
 * within a sector. A stride between lanes needs twice as many sectors, or whole multiples,
 * and of scattered positions some are aligned: of single bytes one in 32, of larger
 * elements more. Of records drawn at random two may be neighbours, or the same, and share
 * a sector; that makes the sectors fewer by EDGES at most, where a table has hundreds.
 * If a record is whole sectors long, all begin as far within one as the first does.
 */
static void
judge_pieces(struct accesses *a, const struct kernel *kernel, const struct access_place *p,
    size_t n, int *slices)
{
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		double over = (one->sectors - one->ideal) / one->requests;
		double pieces = round(over);
		double each = one->ideal / one->requests / pieces;
		struct slice s = { .known = false };
		bool whole;

		if (one->pattern != PATTERN_SCATTERED ||
		    a->address[p[k].sass].kind == AFFINE_STEPS ||
		    inst_lanes(kernel->code, p[k].i) < MANY_LANES || pieces < 1 ||
		    each < ROW_LEAST || fabs(each - round(each)) > EXACT ||
		    over - pieces > EXACT || pieces - over > EDGES * pieces)
			continue;
		if ((*slices)++ < SLICES_MAX)
			slice_of(&s, a->slices, p[k].sass);
		whole = s.known && s.row >= each * SECTOR && s.row % SECTOR == 0;
		if (!whole && pieces - over > EXACT)
			continue;
		one->pattern = PATTERN_MISALIGNED;
		one->element = whole ? (uint16_t)s.row : 0;
		one->apart = true;
	}
}

/* The mean number of sectors of ${bytes} in a row that begin anywhere where rows of ${row}
 * bytes, one behind the other, begin. */
static double
sectors_anywhere(int64_t row, int64_t bytes)
{
	int64_t each = shape_common((uint32_t)row, SECTOR), sum = 0;

	for (int64_t from = 0; from < SECTOR; from += each)
		sum += (from + bytes + SECTOR - 1) / SECTOR;
	return (double)(sum * each) / SECTOR;
}

/*
 * Groups of lanes that each access a whole row of a table, in no order: a row's number
 * is hashed, drawn or loaded. If rows are no multiple of a sector long, they begin
 * anywhere, and the mean number of sectors follows from their length. Padded to whole
 * sectors, each row takes as many as its bytes fill; nothing else can be gained.
 */
static void
judge_rows(struct accesses *a, const struct code *c, const struct access_place *p,
    size_t n, int *slices)
{
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		double lanes = inst_lanes(c, p[k].i), bytes = inst_bytes(c, p[k].i);
		struct slice s;

		if (one->pattern != PATTERN_SCATTERED ||
		    !(lanes >= MANY_LANES && lanes <= WARP) ||
		    a->address[p[k].sass].kind == AFFINE_STEPS || !(bytes > 0))
			continue;
		if ((*slices)++ >= SLICES_MAX)
			break;
		slice_of(&s, a->slices, p[k].sass);
		if (!s.known || s.row % SECTOR == 0 || s.row < SECTOR)
			continue;
		for (int rows = 2; rows <= lanes / 2; rows++) {
			int64_t each = llround(lanes / rows) * (int64_t)bytes;
			double least = ceil((double)each / SECTOR);
			double mean = sectors_anywhere(s.row, each);

			if (each > s.row || s.row > least * SECTOR || mean <= least ||
			    fabs((double)each / bytes * rows / lanes - 1) > EDGES ||
			    fabs(one->sectors / one->requests / rows / mean - 1) >
			    EDGES)
				continue;
			one->pattern = PATTERN_MISALIGNED;
			one->ideal = fmax(one->ideal, one->requests * rows * least);
			one->element = (uint16_t)s.row;
			one->apart = true;
			break;
		}
	}
}

/* Does an address that affine.h does not know (a row's number comes from a division, and
 * tells where the row begins) differ from lane to lane as loaded values do? A stride of
 * the program's needs the same number of sectors in each request. */
static bool
is_loaded(const struct slice *s, const struct judged_access *one, double bytes)
{
	double sectors = one->sectors / one->requests;
	int64_t lane = s->lane < 0 ? -s->lane : s->lane;

	return s->known && s->loads && (s->lane_unknown || lane <= (int64_t)bytes) &&
	    fabs(sectors - round(sectors)) > EXACT;
}

/* Finds accesses whose addresses were loaded: their positions are those of the
 * loaded indices, neither fields of an object nor a row, whatever the block. */
static void
judge_gathered(struct accesses *a, const struct code *c,
    const struct access_place *p, size_t n, int *slices)
{
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		uint8_t kind = a->address[p[k].sass].kind;
		struct slice s = { .known = false };

		if ((one->pattern != PATTERN_SCATTERED &&
		    one->pattern != PATTERN_SHAPE) || (kind != AFFINE_LOADED &&
		    kind != AFFINE_UNKNOWN))
			continue;
		if ((*slices)++ < SLICES_MAX)
			slice_of(&s, a->slices, p[k].sass);
		if (kind == AFFINE_UNKNOWN && !is_loaded(&s, one,
		    inst_bytes(c, p[k].i)))
			continue;
		one->pattern = PATTERN_GATHERED;
		one->walks = s.known && slice_walks(&s);
	}
}

/* Neighbouring lanes access neighbouring positions, and a whole warp would need
 * no more sectors: the inactive lanes waste them, not the positions. */
static void
judge_lanes(struct accesses *a, const struct kernel *kernel, const struct access_place *p,
    size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		double bytes = inst_bytes(kernel->code, p[k].i);
		double full = affine_sectors(&a->address[p[k].sass],
		    (uint32_t)bytes, &kernel->shape);

		if ((one->pattern != PATTERN_SCATTERED &&
		    one->pattern != PATTERN_SHAPE) ||
		    inst_lanes(kernel->code, p[k].i) >= MANY_LANES ||
		    !(full <= RATIO_GOOD * fmax(1, WARP * bytes / SECTOR)) ||
		    one->sectors > RATIO_GOOD * full * one->requests)
			continue;
		one->pattern = PATTERN_GOOD;
		one->ideal = one->sectors;
	}
}

/* The block's shape is not the cause if the address depends on a loaded value. */
static void
judge_shape(struct accesses *a, const struct access_place *p, size_t n, int *slices)
{
	for (size_t k = 0; k < n; k++) {
		struct judged_access *one = &a->of[p[k].i];
		struct slice s;

		if (one->pattern != PATTERN_SHAPE)
			continue;
		if ((*slices)++ >= SLICES_MAX)
			break;
		slice_of(&s, a->slices, p[k].sass);
		if (s.loads)
			one->pattern = PATTERN_SCATTERED;
	}
}

static int
judge_code(struct accesses *a, const struct kernel *kernel)
{
	const struct code *c = kernel->code;
	struct access_place *p = calloc(c->sass.instructions + 1, sizeof(*p));
	int slices = 0;
	size_t n;

	a->address = affine_addresses(c, &kernel->shape);
	if (p == NULL || a->address == NULL) {
		free(p);
		return -1;
	}
	n = find_places(p, a, c);
	for (size_t k = 0, end; k < n; k = end) {
		for (end = k + 1; end < n && is_same_base(&p[k], &p[end]);
		    end++)
			;
		judge_pieces(a, kernel, p + k, end - k, &slices);
		judge_rows(a, c, p + k, end - k, &slices);
		judge_gathered(a, c, p + k, end - k, &slices);
		judge_lanes(a, kernel, p + k, end - k);
		judge_shape(a, p + k, end - k, &slices);
		judge_windows(a, p + k, end - k, &slices);
		judge_fields(a, c, p + k, end - k, (uint32_t)k + 1, &slices);
	}
	free(p);
	return 0;
}

static void
add(struct access_sum *s, const struct judged_access *one)
{
	s->requests += one->requests;
	s->sectors += one->sectors;
	s->ideal += one->ideal;
}

int
accesses_of(struct accesses *a, const struct rule_view *x)
{
	const struct code *c = x->kernel->code;
	bool doubtful = false, uniform = false;

	memset(a, 0, sizeof(*a));
	a->of = calloc(c->instructions + 1, sizeof(*a->of));
	if (a->of == NULL)
		return -1;
	for (size_t i = 0; i < c->instructions; i++) {
		struct judged_access *one = &a->of[i];

		one->kind = (uint8_t)inst_global(c, i);
		if (one->kind == INST_NONE)
			continue;
		judge_counts(one, x->kernel, i);
		doubtful = doubtful || one->pattern >= PATTERN_MISALIGNED;
		uniform = uniform || one->pattern == PATTERN_UNIFORM;
	}
	if (c->disassembled && (doubtful || uniform)) {
		a->slices = slices_new(&c->sass);
		if (a->slices == NULL ||
		    (doubtful && judge_code(a, x->kernel) != 0)) {
			accesses_free(a);
			return -1;
		}
	}
	for (size_t i = 0; i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (one->pattern == PATTERN_NONE)
			continue;
		add(&a->sum[one->pattern][one->kind], one);
		add(&a->all[one->kind], one);
	}
	return 0;
}

void
accesses_free(struct accesses *a)
{
	free(a->of);
	free(a->address);
	slices_free(a->slices);
	memset(a, 0, sizeof(*a));
}

enum rule_state
accesses_ask(struct rule_view *x,
    enum rule_state (*find)(struct rule_view *x, const struct accesses *a))
{
	const struct code *c = x->kernel->code;
	enum rule_state state;
	struct accesses a;

	if (isnan(inst_total(c, SOURCE_GLOBAL_SECTORS)) ||
	    isnan(inst_total(c, SOURCE_GLOBAL_IDEAL)))
		return rule_unmeasured(x, REASON_SECTORS_UNCOUNTED);
	if (accesses_of(&a, x) != 0) {
		x->arena->failed = true;
		return RULE_NOT_MEASURED;
	}
	state = find(x, &a);
	accesses_free(&a);
	return state;
}

void
accesses_lines(const struct rule_view *x, struct draft *d,
    const struct accesses *a, enum access_pattern p)
{
	const struct code *c = x->kernel->code;
	struct mark *m = marks_new(x);

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		const struct judged_access *one = &a->of[i];

		if (one->pattern != p || one->kind == INST_ATOMIC)
			continue;
		m[i].weight = fmax(0, one->sectors - one->ideal);
		m[i].over = one->sectors;
		m[i].under = one->requests;
	}
	lines_fill(x, d, m, "%s sectors per request");
	free(m);
}

double
accesses_excess(const struct accesses *a, enum access_pattern p,
    enum inst_access kind)
{
	const struct access_sum *s = &a->sum[p][kind];

	return fmax(0, s->sectors - s->ideal);
}

double
accesses_keep(const struct accesses *a, enum access_pattern p,
    enum inst_access kind)
{
	double all = a->all[kind].sectors;

	return all > 0 ? 1 - accesses_excess(a, p, kind) / all : 1;
}

/* Mean active lanes per instruction. */
static double
mean_lanes(const struct rule_view *x)
{
	struct lanes l = lanes_of(x);
	double lanes = isfinite(l.on) ? l.on : l.active;

	return isfinite(lanes) ? fmin(fmax(lanes, 1), 32) : 32;
}

double
access_ideal(const struct rule_view *x, double sectors, double used)
{
	double bytes = sectors * used, full = WORD * mean_lanes(x), shared;

	/* The other accesses need at most a sector per lane, … */
	shared = fmin((full - bytes) / fmax(full - WORD, 1),
	    (32 - sectors) / 31);
	shared = fmin(fmax(shared, 0), bytes / WORD);
	/* … and need what their bytes fill. */
	return fmin(sectors, fmax(bytes / SECTOR + shared *
	    (1 - (double)WORD / SECTOR), 1e-3));
}

bool
access_is_shifted(const struct rule_view *x, double sectors, double used)
{
	double ideal = sectors * used / SECTOR, over = sectors - ideal;

	return over >= SHIFTED_LEAST && over <= SHIFTED_MOST &&
	    ideal >= ROW_LEAST && mean_lanes(x) >= MANY_LANES;
}

bool
access_is_scattered(const struct rule_view *x)
{
	const struct record_SIGNATURE *shape = &x->kernel->shape;
	double waves = rule_metric(x, METRIC_LSU_WAVEFRONTS);
	double stores = x->load->requests_st;
	double asked = rule_metric(x, METRIC_L2_FROM_L1);
	double least = load_wavefronts(x->load->requests_ld,
	    fmin(x->load->ld_sectors, 16 * x->load->requests_ld));

	if (shape->smem_static > 0 || shape->smem_dynamic > 0 ||
	    shape->local_per_thread > 0 || !(x->load->requests_ld > 0))
		return false;
	if (asked > x->load->ld_sectors + or_zero(x->load->st_sectors))
		return false;		/* atomics go the same way */
	waves -= or_zero(x->load->st_sectors) + or_zero(stores);
	return waves >= SCATTERED_LEAST * least;
}
