__device__ inline float other(float x) {
	return x * 2 + 1 / x;
}
