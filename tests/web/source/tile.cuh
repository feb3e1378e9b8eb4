#pragma once

// A tile of keys, from [key][head][width] in global memory.
template <int Width, int Tile>
__device__ inline void
load_tile(float (&tile)[Tile][Width], const float *k, int first, int heads,
    int head)
{
	for (int j = threadIdx.x; j < Tile; j += blockDim.x)
		for (int i = 0; i < Width; i++)
			tile[j][i] = k[((size_t)(first + j) * heads + head) *
			    Width + i];
}
