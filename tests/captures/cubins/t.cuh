__device__ inline float helper(const float *p, int i) {
	float s = 0;
	for (int k = 0; k < 4; k++)
		s += p[i * 4 + k];
	return s;
}
