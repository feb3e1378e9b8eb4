/*
 * mock_nvml.c: an NVML (libnvidia-ml.so.1) with one GPU, for the command.
 * MOCK_NVML_REASONS: the clocks' event reasons; MOCK_NVML_PROCESSES: the number
 * of processes that use the GPU; MOCK_NVML_LIMIT: its power limit in mW.
 */
#include <stdio.h>
#include <stdlib.h>

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *n);
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out);
int nvmlDeviceGetUUID(void *d, char *out, unsigned size);
int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *out);
int nvmlDeviceGetClockInfo(void *d, int which, unsigned *out);
int nvmlDeviceGetTemperature(void *d, int which, unsigned *out);
int nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *out);
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlDeviceGetPerformanceState(void *d, int *out);
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *out);
int nvmlDeviceGetCurrPcieLinkGeneration(void *d, unsigned *out);
int nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned *out);

static unsigned
number_of(const char *name)
{
	const char *text = getenv(name);

	return text != NULL ? (unsigned)strtoul(text, NULL, 0) : 0;
}

int
nvmlInit_v2(void)
{

	return 0;
}

int
nvmlShutdown(void)
{

	return 0;
}

int
nvmlDeviceGetCount_v2(unsigned *n)
{

	*n = 1;
	return 0;
}

int
nvmlDeviceGetHandleByIndex_v2(unsigned i, void **out)
{
	static int device;

	(void)i;
	*out = &device;
	return 0;
}

int
nvmlDeviceGetUUID(void *d, char *out, unsigned size)
{

	(void)d;
	snprintf(out, size, "GPU-01234567-89ab-cdef-0123-456789abcdef");
	return 0;
}

int
nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *out)
{

	(void)d;
	*out = number_of("MOCK_NVML_REASONS");
	return 0;
}

int
nvmlDeviceGetClockInfo(void *d, int which, unsigned *out)
{

	(void)d;
	(void)which;
	*out = 1980;
	return 0;
}

int
nvmlDeviceGetTemperature(void *d, int which, unsigned *out)
{

	(void)d;
	(void)which;
	*out = 35;
	return 0;
}

int
nvmlDeviceGetComputeRunningProcesses_v3(void *d, unsigned *n, void *out)
{

	(void)d;
	(void)out;
	*n = number_of("MOCK_NVML_PROCESSES");
	return 0;
}

int
nvmlSystemGetDriverVersion(char *out, unsigned size)
{

	snprintf(out, size, "580.159.04");
	return 0;
}

int
nvmlDeviceGetPerformanceState(void *d, int *out)
{

	(void)d;
	*out = 0;
	return 0;
}

int
nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *out)
{

	(void)d;
	*out = number_of("MOCK_NVML_LIMIT");
	return *out == 0;
}

int
nvmlDeviceGetCurrPcieLinkGeneration(void *d, unsigned *out)
{

	(void)d;
	*out = 5;
	return 0;
}

int
nvmlDeviceGetCurrPcieLinkWidth(void *d, unsigned *out)
{

	(void)d;
	*out = 16;
	return 0;
}
