/*
 * images.c: device code that pairs load while they run, as data of the program,
 * each with a zero behind it: the two compilations of jit_image.cu, and kernels
 * that launch kernels.
 */
#define IMAGE(name, file)						\
	__asm__(".section .rodata\n.balign 64\n.global " #name "\n"	\
	    #name ":\n.incbin \"" IMAGES "/" file "\"\n.byte 0\n"	\
	    ".previous\n")

IMAGE(jit_ptx, "jit.ptx");
IMAGE(jit_fatbin, "jit.fatbin");
#ifdef HAVE_DEVICE_LAUNCH
IMAGE(device_launch_fatbin, "device_launch.fatbin");
#endif
