/*
 * base/build.h: the linker's build id of a program, which identifies the contents of
 * its file; a version number that somebody wrote into the source does not.
 */
#ifndef CADV_BUILD_H
#define CADV_BUILD_H

#define BUILD_SIZE 129		/* hexadecimal digits of 64 bytes */

/* build_of(path, out): the build id of the program at ${path}, in hexadecimal; "" if
 * the file cannot be opened, is no ELF file, or has none. */
void build_of(const char *path, char out[BUILD_SIZE]);

#endif
