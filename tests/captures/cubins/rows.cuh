/* Four neighbours for each thread: the lanes of a warp are 16 bytes apart. */
__device__ inline float
row_sum(const float *row, int i)
{
	float sum = 0;

	for (int k = 0; k < 4; k++)
		sum += row[i * 4 + k];
	return sum;
}
