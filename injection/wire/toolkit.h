/*
 * wire/toolkit.h: which injection library fits a process, and where its CUPTI may be.
 * One library is built per CUDA major whose headers were found: a CUPTI needs a driver
 * of its own major or a newer one, and a process can have only one CUPTI. Pure, except
 * the last two functions.
 */
#ifndef CADV_TOOLKIT_H
#define CADV_TOOLKIT_H

#include <stddef.h>
#include <stdint.h>

#define TOOLKIT_OLDEST 12u	/* range of supported majors */
#define TOOLKIT_NEWEST 19u
#define TOOLKIT_MAJORS (TOOLKIT_NEWEST - TOOLKIT_OLDEST + 1)

/* CUPTI 12.4 (API version 22) is the first that writes the record layouts we read. */
#define TOOLKIT_CUPTI_OLDEST 22u

struct toolkit_facts {
	uint32_t built;		/* set of majors (toolkit_bit) whose library exists */
	int driver;		/* cuDriverGetVersion: 12040; 0: unknown */
	unsigned loaded;	/* major of the CUPTI that the process has loaded; 0:
				 * none */
};

/* toolkit_bit(major): its bit in toolkit_facts.built; 0 for an unsupported major. */
uint32_t toolkit_bit(unsigned major);

/* toolkit_major(api): the CUDA major of a CUPTI_API_VERSION: 12 for 24 (CUDA 12.6), 13
 * for 130001. 11 for anything older. */
unsigned toolkit_major(uint32_t api);

/* toolkit_driver(line): the highest CUDA version that a kernel driver supports,
 * in the form of cuDriverGetVersion, from the first line of
 * /proc/driver/nvidia/version ("… Module 550.54.15 …"); 0: unknown. */
int toolkit_driver(const char *line);

/* toolkit_order(f, order): the majors whose library fits, the best first; returns their
 * number. 0: none fits. */
size_t toolkit_order(const struct toolkit_facts *f,
    unsigned order[TOOLKIT_MAJORS]);

/* toolkit_refusal(f, text, size): why toolkit_order() found none, a sentence without a
 * full stop. toolkit_remedy(f, text, size): what the user can do then. */
void toolkit_refusal(const struct toolkit_facts *f, char *text, size_t size);
void toolkit_remedy(const struct toolkit_facts *f, char *text, size_t size);

/* toolkit_built(): the major of libcudadvise_injection.so, which is the newest that was
 * built; 0: none. The names of its siblings end in -MAJOR.so. */
unsigned toolkit_built(void);

/* toolkit_sibling(path, major, out, size): the path of the library for ${major} in the
 * folder of ${path}. 0; -1 if it does not fit ${size}. */
int toolkit_sibling(const char *path, unsigned major, char *out, size_t size);

struct toolkit_search {
	unsigned major;
	int driver;		/* as in toolkit_facts; a CUPTI newer than the driver
				 * comes last */
	const char *home;	/* $CUDA_HOME, or NULL */
};

/* toolkit_places(s, try, cookie): call ${try} for each path where a CUPTI of that major
 * may be, the best first, until it returns a value other than 0. Returns that value, or
 * 0. */
typedef int (*toolkit_try)(const char *path, void *cookie);
int toolkit_places(const struct toolkit_search *s, toolkit_try try,
    void *cookie);

/* toolkit_there(path, major): the set for toolkit_facts.built: ${major}, which is that
 * of the library at ${path}, and the siblings in the same folder. */
uint32_t toolkit_there(const char *path, unsigned major);

/* toolkit_kernel_driver(): toolkit_driver() of the loaded kernel driver; 0: unknown. */
int toolkit_kernel_driver(void);

#endif
