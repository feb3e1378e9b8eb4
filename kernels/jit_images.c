/*
 * jit_images.c: the two compilations of jit_image.cu, as data of the program,
 * each with a zero behind it.
 */
#define IMAGE(name, file)						\
	__asm__(".section .rodata\n.balign 64\n.global " #name "\n"	\
	    #name ":\n.incbin \"" IMAGES "/" file "\"\n.byte 0\n"	\
	    ".previous\n")

IMAGE(jit_ptx, "jit.ptx");
IMAGE(jit_fatbin, "jit.fatbin");
