/*
 * ipc_mem: memory and an event of one process are opened by another one.
 */
#include "pair.h"

struct handles {
	cudaIpcMemHandle_t memory;
	cudaIpcEventHandle_t event;
};

static int
child(int fd)
{
	struct handles h;
	cudaEvent_t event;
	uint32_t *v;
	char done = 1;

	pair_receive(fd, &h, sizeof(h));
	CHECK(cudaIpcOpenMemHandle((void **)&v, h.memory,
	    cudaIpcMemLazyEnablePeerAccess));
	CHECK(cudaIpcOpenEventHandle(&event, h.event));
	CHECK(cudaStreamWaitEvent(0, event, 0));
	printf("child gets %08x\n", pair_digest(v, 0));
	stir_all<<<WORDS / 256, 256>>>(v, WORDS, 3);
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaEventDestroy(event));
	CHECK(cudaIpcCloseMemHandle(v));
	printf("child, by itself: %08x\n", work(0, 50));
	fflush(stdout);
	pair_send(fd, &done, 1);
	return 0;
}

int
main(int argc, char **argv)
{
	struct handles h;
	cudaEvent_t event;
	uint32_t *v;
	char done;
	int fd, status;
	pid_t pid;

	if (argc > 2) {
		need_gpu();
		return child(atoi(argv[2]));
	}
	pid = pair_start("child", &fd);
	need_gpu();
	CHECK(cudaMalloc(&v, WORDS * sizeof(*v)));
	CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming |
	    cudaEventInterprocess));
	CHECK(cudaMemset(v, 0, WORDS * sizeof(*v)));
	for (int i = 0; i < 100; i++)
		stir_all<<<WORDS / 256, 256>>>(v, WORDS, 16);
	CHECK(cudaGetLastError());
	CHECK(cudaEventRecord(event, 0));
	CHECK(cudaIpcGetMemHandle(&h.memory, v));
	CHECK(cudaIpcGetEventHandle(&h.event, event));
	pair_send(fd, &h, sizeof(h));
	pair_receive(fd, &done, 1);
	status = pair_end(pid);
	printf("parent finds %08x\n", pair_digest(v, 0));
	printf("child ended with %d\n", status);
	CHECK(cudaEventDestroy(event));
	CHECK(cudaFree(v));
	return status != 0;
}
