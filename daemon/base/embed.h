/*
 * base/embed.h: a file's bytes as data of the program. EMBED(name, "path") defines
 * name[] with a zero byte after the end, and name_end[] at that byte. The build has to
 * make the source file that uses EMBED depend on the path.
 */
#ifndef CADV_EMBED_H
#define CADV_EMBED_H

#define EMBED(name, path)						\
	__asm__(							\
		".pushsection .rodata\n"				\
		".global " #name "\n"					\
		".global " #name "_end\n"				\
		".balign 8\n"						\
		#name ":\n"						\
		".incbin \"" path "\"\n"				\
		#name "_end:\n"						\
		".byte 0\n"						\
		".popsection\n");					\
	extern const char name[], name##_end[]

#endif
