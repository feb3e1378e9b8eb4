/* Counts of the SASS metrics at an instruction: plausible numbers that differ
 * between instructions. */
#include <string.h>

#include "mock_internal.h"

/* The class of an instruction, by its opcode's low bits. */
enum {
	C_ANY = 1 << 0, C_LDG = 1 << 1, C_STG = 1 << 2, C_ATOMG = 1 << 3,
	C_REDG = 1 << 4, C_LDS = 1 << 5, C_STS = 1 << 6, C_ATOMS = 1 << 7,
	C_LDL = 1 << 8, C_STL = 1 << 9, C_BRANCH = 1 << 10,
	C_GLOBAL = C_LDG | C_STG | C_ATOMG | C_REDG,
	C_SHARED = C_LDS | C_STS | C_ATOMS, C_LOCAL = C_LDL | C_STL,
	C_MEMORY = C_GLOBAL | C_SHARED | C_LOCAL,
};

static const struct { uint32_t opcode; unsigned class; } class_of[] = {
	{ 0x181, C_LDG }, { 0x186, C_STG }, { 0x1a8, C_ATOMG },
	{ 0x1a9, C_ATOMG }, { 0x1a6, C_REDG }, { 0x18e, C_REDG },
	{ 0x184, C_LDS }, { 0x188, C_STS }, { 0x18c, C_ATOMS },
	{ 0x18d, C_ATOMS }, { 0x183, C_LDL }, { 0x187, C_STL },
	{ 0x147, C_BRANCH }, { 0x150, C_BRANCH }, { 0x144, C_BRANCH },
};

/* The quantity that a metric counts. */
enum {
	Q_WARPS, Q_THREADS, Q_ON, Q_SECTORS, Q_SECTORS_IDEAL, Q_TAGS,
	Q_WAVEFRONTS, Q_WAVEFRONTS_IDEAL, Q_UNIFORM, Q_DIVERGENT,
	Q_8, Q_16, Q_32, Q_64, Q_128
};

/* CUPTI 13's names for GH100. */
static const struct mock_metric metric[] = {
#define INST "smsp__sass_inst_executed"
#define L1 "smsp__sass_l1tex_"
#define THREAD "smsp__sass_thread_inst_executed"
	{ "smsp__sass_branch_targets_threads_divergent", C_BRANCH,
	    Q_DIVERGENT },
	{ "smsp__sass_branch_targets_threads_uniform", C_BRANCH, Q_UNIFORM },
	{ INST, C_ANY, Q_WARPS },
	{ INST "_memdesc_explicit", 0, Q_WARPS },
	{ INST "_op_atom", C_ATOMG | C_ATOMS, Q_WARPS },
	{ INST "_op_branch", C_BRANCH, Q_WARPS },
	{ INST "_op_dshared", 0, Q_WARPS },
	{ INST "_op_global", C_GLOBAL, Q_WARPS },
	{ INST "_op_global_atom", C_ATOMG, Q_WARPS },
	{ INST "_op_global_ld", C_LDG, Q_WARPS },
	{ INST "_op_global_red", C_REDG, Q_WARPS },
	{ INST "_op_global_st", C_STG, Q_WARPS },
	{ INST "_op_ld", C_LDG | C_LDS | C_LDL, Q_WARPS },
	{ INST "_op_ldgsts", 0, Q_WARPS },
	{ INST "_op_ldgsts_cache_access", 0, Q_WARPS },
	{ INST "_op_ldgsts_cache_bypass", 0, Q_WARPS },
	{ INST "_op_ldsm", 0, Q_WARPS },
	{ INST "_op_local", C_LOCAL, Q_WARPS },
	{ INST "_op_local_ld", C_LDL, Q_WARPS },
	{ INST "_op_local_st", C_STL, Q_WARPS },
	{ INST "_op_memory_128b", C_MEMORY, Q_128 },
	{ INST "_op_memory_16b", C_MEMORY, Q_16 },
	{ INST "_op_memory_32b", C_MEMORY, Q_32 },
	{ INST "_op_memory_64b", C_MEMORY, Q_64 },
	{ INST "_op_memory_8b", C_MEMORY, Q_8 },
	{ INST "_op_shared", C_SHARED, Q_WARPS },
	{ INST "_op_shared_atom", C_ATOMS, Q_WARPS },
	{ INST "_op_shared_gmma", 0, Q_WARPS },
	{ INST "_op_shared_ld", C_LDS, Q_WARPS },
	{ INST "_op_shared_st", C_STS, Q_WARPS },
	{ INST "_op_shared_stsm", 0, Q_WARPS },
	{ INST "_op_st", C_STG | C_STS | C_STL, Q_WARPS },
	{ INST "_op_texture", 0, Q_WARPS },
	{ INST "_op_tma", 0, Q_WARPS },
	{ INST "_op_tma_ld", 0, Q_WARPS },
	{ INST "_op_tma_red", 0, Q_WARPS },
	{ INST "_op_tma_st", 0, Q_WARPS },
	{ L1 "pipe_lsu_wavefronts_mem_shared", C_SHARED, Q_WAVEFRONTS },
	{ L1 "pipe_lsu_wavefronts_mem_shared_ideal", C_SHARED,
	    Q_WAVEFRONTS_IDEAL },
	{ L1 "tags_mem_global", C_GLOBAL, Q_TAGS },
	{ "smsp__sass_sectors_mem_global", C_GLOBAL, Q_SECTORS },
	{ "smsp__sass_sectors_mem_global_ideal", C_GLOBAL, Q_SECTORS_IDEAL },
	{ "smsp__sass_sectors_mem_local", C_LOCAL, Q_SECTORS_IDEAL },
	{ THREAD, C_ANY, Q_THREADS },
	{ THREAD "_op_branch", C_BRANCH, Q_THREADS },
	{ THREAD "_op_global_pred_on", C_GLOBAL, Q_ON },
	{ THREAD "_op_ldgsts_pred_on", 0, Q_ON },
	{ THREAD "_op_shared_pred_on", C_SHARED, Q_ON },
	{ THREAD "_pred_on", C_ANY, Q_ON },
};
#define METRICS (sizeof(metric) / sizeof(*metric))

static unsigned
class_at(const struct mock_code *code, uint32_t pc)
{
	uint64_t word;
	size_t i;

	memcpy(&word, code->text + pc, sizeof(word));
	for (i = 0; i < sizeof(class_of) / sizeof(*class_of); i++)
		if (class_of[i].opcode == (word & 0x1ff))
			return C_ANY | class_of[i].class;
	return C_ANY;
}

/* The width of an access is in the instruction's second word. */
static unsigned
width_at(const struct mock_code *code, uint32_t pc)
{
	static const unsigned width[] = { Q_8, Q_8, Q_16, Q_16, Q_32,
	    Q_64, Q_128, Q_128 };
	uint64_t word;

	memcpy(&word, code->text + pc + 8, sizeof(word));
	return width[word >> 9 & 7];
}

/* Plausible numbers: no more lanes than threads, no fewer sectors than
 * ideal. */
static uint64_t
count(unsigned q, const struct mock_code *code, uint32_t pc,
    const struct mock_launch *l)
{
	uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t h = mock_hash(code->name) ^ pc * 0x9e3779b97f4a7c15u;
	uint64_t times = 1 + (mock_hash(code->name) ^ pc / 256) % 4;
	uint64_t warps = blocks * ((threads + 31) / 32) * times, word;

	h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9u >> 40;
	threads *= blocks * times;
	memcpy(&word, code->text + pc, sizeof(word));
	switch (q) {
	case Q_WARPS: return warps;
	case Q_THREADS: return threads;
	/* Bits 12 to 15 are the predicate; 7 means "always". */
	case Q_ON: return (word >> 12 & 15) == 7 ? threads : threads / 2;
	case Q_SECTORS: return 4 * warps * (1 + h % 8);
	case Q_SECTORS_IDEAL: return 4 * warps;
	case Q_TAGS: return warps * (1 + h % 8);
	case Q_WAVEFRONTS: return warps * (1 + h % 8);
	case Q_WAVEFRONTS_IDEAL: return warps;
	case Q_DIVERGENT: return h % 2 == 0 ? 0 : threads / 4;
	case Q_UNIFORM: return h % 2 == 0 ? threads : threads - threads / 4;
	default: return width_at(code, pc) == q ? warps : 0;
	}
}

const struct mock_metric *
mock_metric_named(const char *name)
{
	size_t i;

	for (i = 0; i < METRICS; i++)
		if (strcmp(metric[i].name, name) == 0)
			return &metric[i];
	return NULL;
}

bool
mock_sass_value(const char *name, const struct mock_launch *l, uint32_t pc,
    uint64_t *value)
{
	const struct mock_code *code = mock_code_of(l->function->name);
	const struct mock_metric *m = mock_metric_named(name);

	if (code == NULL || m == NULL || pc % MOCK_INSTRUCTION != 0 ||
	    pc >= code->size || (class_at(code, pc) & m->class) == 0)
		return false;
	*value = count(m->quantity, code, pc, l);
	return true;
}

const struct mock_metric *
mock_metrics(size_t *n)
{
	*n = METRICS;
	return metric;
}

bool
mock_metric_at(const struct mock_metric *m, const struct mock_code *code,
    uint32_t pc)
{
	return (class_at(code, pc) & m->class) != 0;
}

uint64_t
mock_metric_count(const struct mock_metric *m, const struct mock_code *code,
    uint32_t pc, const struct mock_launch *l)
{
	return count(m->quantity, code, pc, l);
}
