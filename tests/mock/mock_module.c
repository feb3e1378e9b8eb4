/*
 * Modules: each context loads one with its first launch (lazy loading), and
 * every module is a copy of one cubin. Pointers passed to the client become
 * invalid after the callback, or with the module.
 */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mock_internal.h"

#define CUBIN_MAX (64u << 20)

struct mock_module {
	uint32_t id;
	uint8_t *bytes;
};

static struct {
	uint8_t *bytes;
	size_t size;
	struct mock_code code[MOCK_CODES];
	size_t codes;
} cubin;
pthread_mutex_t mock_source_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;
static uint32_t next_module = 1;

/* --- the file --------------------------------------------------------------- */

static void
read_file(const char *path)
{
	FILE *f = fopen(path, "rbe");

	if (f == NULL || (cubin.bytes = malloc(CUBIN_MAX)) == NULL) {
		fprintf(stderr, "mock: %s cannot be read\n", path);
		abort();
	}
	cubin.size = fread(cubin.bytes, 1, CUBIN_MAX, f);
	fclose(f);
}

/* at(offset, size): bytes of the file, or NULL past its end. */
static const void *
at(uint64_t offset, uint64_t size)
{
	return offset <= cubin.size && size <= cubin.size - offset ?
	    cubin.bytes + offset : NULL;
}

static bool
section(uint32_t index, Elf64_Shdr *out)
{
	const Elf64_Ehdr *h = at(0, sizeof(*h));
	const void *p;

	if (h == NULL || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 ||
	    index >= h->e_shnum || (p = at(h->e_shoff + (uint64_t)index *
	    sizeof(*out), sizeof(*out))) == NULL)
		return false;
	memcpy(out, p, sizeof(*out));
	return true;
}

/* The low bits of an instruction, which tell its kind. */
static uint32_t
opcode(const uint8_t *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return (uint32_t)(word & 0xfff);
}

/* The size of a function without the padding after it: a branch to itself, and
 * NOPs up to the cache line. */
static uint32_t
without_padding(const uint8_t *text, uint32_t size)
{
	while (size >= MOCK_INSTRUCTION &&
	    opcode(text + size - MOCK_INSTRUCTION) == 0x918)
		size -= MOCK_INSTRUCTION;
	if (size >= MOCK_INSTRUCTION &&
	    opcode(text + size - MOCK_INSTRUCTION) == 0x947)
		size -= MOCK_INSTRUCTION;
	return size;
}

static void
add_code(const Elf64_Sym *y, uint32_t index, const Elf64_Shdr *strings)
{
	const char *name = at(strings->sh_offset, strings->sh_size);
	const uint8_t *text;
	Elf64_Shdr s;

	/* STO_CUDA_ENTRY: a kernel. */
	if (ELF64_ST_TYPE(y->st_info) != STT_FUNC || !(y->st_other & 0x10) ||
	    cubin.codes == MOCK_CODES || name == NULL ||
	    y->st_name >= strings->sh_size ||
	    memchr(name + y->st_name, 0, strings->sh_size - y->st_name) ==
	    NULL || !section(y->st_shndx, &s) ||
	    (text = at(s.sh_offset + y->st_value, y->st_size)) == NULL)
		return;
	cubin.code[cubin.codes++] = (struct mock_code){
	    .name = name + y->st_name, .symbol = index, .text = text,
	    .size = without_padding(text, (uint32_t)y->st_size) };
}

/* A file that is not a cubin becomes a module without kernels: clients must
 * handle that, too. */
static void
prepare(void)
{
	const char *path = getenv("MOCK_CUBIN");
	Elf64_Shdr s, strings;
	const void *p;
	Elf64_Sym y;
	uint32_t i;
	uint64_t k;

	read_file(path != NULL && *path != '\0' ? path : MOCK_CUBIN);
	for (i = 0; section(i, &s); i++) {
		if (s.sh_type != SHT_SYMTAB || !section(s.sh_link, &strings))
			continue;
		for (k = 0; k < s.sh_size / sizeof(y) && (p = at(s.sh_offset +
		    k * sizeof(y), sizeof(y))) != NULL; k++) {
			memcpy(&y, p, sizeof(y));
			add_code(&y, (uint32_t)k, &strings);
		}
	}
}

const struct mock_code *
mock_codes(size_t *n)
{
	pthread_once(&once, prepare);
	*n = cubin.codes;
	return cubin.code;
}

const struct mock_code *
mock_code_of(const char *kernel)
{
	size_t n, i;
	const struct mock_code *code = mock_codes(&n);

	for (i = 0; i < n; i++)
		if (strcmp(code[i].name, kernel) == 0)
			return &code[i];
	return NULL;
}

/* A 32-bit checksum like CUPTI's, but by another algorithm. */
static uint32_t
checksum(const uint8_t *bytes, size_t size)
{
	uint32_t h = 0x811c9dc5u;
	size_t i;

	for (i = 0; i < size; i++)
		h = (h ^ bytes[i]) * 0x01000193u;
	return h;
}

static uint32_t crc;

static void
prepare_crc(void)
{
	pthread_once(&once, prepare);
	crc = checksum(cubin.bytes, cubin.size);
}

/* Computed once, because it is needed for every sampled instruction. */
uint32_t
mock_crc(void)
{
	static pthread_once_t computed = PTHREAD_ONCE_INIT;

	pthread_once(&computed, prepare_crc);
	return crc;
}

CUptiResult
cuptiGetCubinCrc(CUpti_GetCubinCrcParams *p)
{
	MOCK_ENTER();
	if (p == NULL || p->size != CUpti_GetCubinCrcParamsSize ||
	    p->cubin == NULL || p->cubinSize == 0)
		return CUPTI_ERROR_INVALID_PARAMETER;
	p->cubinCrc = checksum(p->cubin, p->cubinSize);
	return CUPTI_SUCCESS;
}

/* --- copies of the module ------------------------------------------------------- */

static void
module_callback(struct mock_context *c, struct mock_module *module,
    CUpti_CallbackIdResource cbid)
{
	CUpti_ModuleResourceData m = { .moduleId = module->id,
	    .cubinSize = cubin.size, .pCubin = (char *)module->bytes };
	CUpti_ResourceData d = { .context = (CUcontext)c,
	    .resourceDescriptor = &m };

	mock_callback(CUPTI_CB_DOMAIN_RESOURCE, cbid, &d);
}

static struct mock_module *
module_make(void)
{
	struct mock_module *m;

	if ((m = malloc(sizeof(*m))) == NULL ||
	    (m->bytes = malloc(cubin.size + 1)) == NULL)
		abort();
	memcpy(m->bytes, cubin.bytes, cubin.size);
	m->id = __atomic_fetch_add(&next_module, 1, __ATOMIC_RELAXED);
	return m;
}

struct mock_module *
mock_module_new(struct mock_context *c)
{
	struct mock_module *m;

	pthread_once(&once, prepare);
	m = module_make();
	module_callback(c, m, CUPTI_CBID_RESOURCE_MODULE_LOADED);
	return m;
}

void
mock_module_end(struct mock_context *c, struct mock_module *m)
{
	module_callback(c, m, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING);
	/* Overwrite the bytes: a client that kept the pointer sees it. */
	memset(m->bytes, 0xa5, cubin.size);
	free(m->bytes);
	free(m);
}

void
mock_module_load(struct mock_context *c)
{
	pthread_once(&once, prepare);
	pthread_mutex_lock(&loading);
	if (c->module == NULL) {
		c->module = module_make();
		module_callback(c, c->module,
		    CUPTI_CBID_RESOURCE_MODULE_LOADED);
	}
	pthread_mutex_unlock(&loading);
}

void
mock_module_unload(struct mock_context *c)
{
	pthread_mutex_lock(&loading);
	if (c->module != NULL) {
		mock_module_end(c, c->module);
		c->module = NULL;
	}
	pthread_mutex_unlock(&loading);
}
