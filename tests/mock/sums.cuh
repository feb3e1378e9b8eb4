/* Sums over several elements. */
__device__ inline float
sum_of_four(const float *p, int i)
{
	float s = 0;

	for (int k = 0; k < 4; k++)
		s += strided(p, 4 * i + k, 1);
	return (s);
}

__device__ inline float
sum_of_tile(const float *tile, int row)
{
	float s = 0;

	for (int k = 0; k < 32; k++)
		s += tile[row * 32 + k];
	return (s);
}
