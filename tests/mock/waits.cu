/*
 * Device code for the mock, of which kernel0 waits for another thread:
 *	nvcc -arch=sm_90 -cubin -o waits.cubin waits.cu
 */
__global__ void
kernel0(float *p)
{
	volatile float *flag = p;

	while (*flag == 0)
		continue;
	p[1] = 1;
}
