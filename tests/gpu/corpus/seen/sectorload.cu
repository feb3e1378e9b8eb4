// Traffic of a mobile network: sessions and kilobytes carried by every
// antenna sector, from the packed session records of four hours.
#include "common.h"

constexpr int SECTORS = 48;
constexpr int HOURS = 4;
constexpr int PER_HOUR = 16 << 20;          // session records of an hour

// A record holds the sector in its top byte and the kilobytes below.
struct Tally { unsigned sessions[SECTORS], kilobytes[SECTORS]; };

__global__ void __launch_bounds__(256) tallyHour(const uint4 *__restrict__ records, int quads,
                                                 Tally *__restrict__ tally)
{
    const int stride = gridDim.x * blockDim.x;
#ifdef GOOD
    __shared__ Tally part[8];
    Tally &own = part[threadIdx.x >> 5];
    for (int i = threadIdx.x; i < (int)(sizeof(part) / sizeof(unsigned)); i += blockDim.x)
        ((unsigned *)part)[i] = 0u;
    __syncthreads();
#else
    Tally &own = *tally;
#endif
    for (int q = blockIdx.x * blockDim.x + threadIdx.x; q < quads; q += stride) {
        uint4 four = records[q];
        unsigned r[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicAdd(&own.sessions[r[k] >> 24], 1u);
            atomicAdd(&own.kilobytes[r[k] >> 24], r[k] & 0xffffffu);
        }
    }
#ifdef GOOD
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * SECTORS; i += blockDim.x) {
        unsigned sum = 0u;
        for (int w = 0; w < 8; w++) sum += ((unsigned *)&part[w])[i];
        atomicAdd((unsigned *)tally + i, sum);
    }
#endif
}

int main()
{
    const size_t n = (size_t)HOURS * PER_HOUR;
    std::vector<unsigned> records(n);
    unsigned seed = 900u;
    for (size_t i = 0; i < n; i++) {
        unsigned v = lcg(seed);
        unsigned sector = ((v >> 16) * SECTORS) >> 16;
        unsigned kb = 1u + ((v >> 5) & 127u);
        records[i] = sector << 24 | kb;
    }

    uint4 *dRecords;
    Tally *dTally;
    CK(cudaMalloc(&dRecords, n * sizeof(unsigned)));
    CK(cudaMalloc(&dTally, HOURS * sizeof(Tally)));
    CK(cudaMemcpy(dRecords, records.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice));
    CK(cudaMemset(dTally, 0, HOURS * sizeof(Tally)));

    int sms = 0;
    CK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    const int quads = PER_HOUR / 4;
    for (int h = 0; h < HOURS; h++) {
        tallyHour<<<sms * 8, 256>>>(dRecords + (size_t)h * quads, quads, dTally + h);
        CK(cudaGetLastError());
    }
    std::vector<Tally> tally(HOURS);
    CK(cudaMemcpy(tally.data(), dTally, HOURS * sizeof(Tally), cudaMemcpyDeviceToHost));

    bool ok = true;
    for (int h = 0; h < HOURS; h++) {
        Tally ref{};
        for (size_t i = (size_t)h * PER_HOUR; i < (size_t)(h + 1) * PER_HOUR; i++) {
            ref.sessions[records[i] >> 24]++;
            ref.kilobytes[records[i] >> 24] += records[i] & 0xffffffu;
        }
        for (int s = 0; s < SECTORS; s++)
            if (ref.sessions[s] != tally[h].sessions[s] || ref.kilobytes[s] != tally[h].kilobytes[s])
                ok = false;
    }
    CK(cudaFree(dRecords));
    CK(cudaFree(dTally));
    return report(ok);
}
