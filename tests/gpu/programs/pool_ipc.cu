/*
 * pool_ipc: passes a memory pool to another process as a file descriptor; there
 * an allocation from it is imported, used and freed.
 */
#include "pair.h"

#define ROUNDS 3

static int
child(int fd)
{
	cudaMemLocation here = {};
	cudaMemAccessFlags flags;
	cudaStream_t stream;
	cudaMemPool_t pool;
	int handle = pair_receive_fd(fd);

	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaMemPoolImportFromShareableHandle(&pool,
	    (void *)(uintptr_t)handle, cudaMemHandleTypePosixFileDescriptor, 0));
	close(handle);
	here.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolGetAccess(&flags, pool, &here));
	if (flags != cudaMemAccessFlagsProtReadWrite) {
		cudaMemAccessDesc want = {};

		want.location = here;
		want.flags = cudaMemAccessFlagsProtReadWrite;
		CHECK(cudaMemPoolSetAccess(pool, &want, 1));
	}
	for (int i = 0; i < ROUNDS; i++) {
		cudaMemPoolPtrExportData data;
		uint32_t *v;
		char done = 1;

		pair_receive(fd, &data, sizeof(data));
		CHECK(cudaMemPoolImportPointer((void **)&v, pool, &data));
		printf("child gets %08x\n", pair_digest(v, stream));
		stir_all<<<WORDS / 256, 256, 0, stream>>>(v, WORDS, 3);
		CHECK(cudaGetLastError());
		printf("child makes %08x\n", pair_digest(v, stream));
		fflush(stdout);
		CHECK(cudaFreeAsync(v, stream));
		CHECK(cudaStreamSynchronize(stream));
		pair_send(fd, &done, 1);
	}
	CHECK(cudaStreamDestroy(stream));
	printf("child, by itself: %08x\n", work(0, 50));
	return 0;
}

int
main(int argc, char **argv)
{
	cudaMemPoolProps props = {};
	cudaStream_t stream;
	cudaMemPool_t pool;
	uint32_t found[ROUNDS];
	int fd, handle, status;
	pid_t pid;

	if (argc > 2) {
		need_gpu();
		return child(atoi(argv[2]));
	}
	pid = pair_start("child", &fd);
	need_gpu();
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	props.allocType = cudaMemAllocationTypePinned;
	props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
	props.location.type = cudaMemLocationTypeDevice;
	CHECK(cudaMemPoolCreate(&pool, &props));
	CHECK(cudaMemPoolExportToShareableHandle(&handle, pool,
	    cudaMemHandleTypePosixFileDescriptor, 0));
	pair_send_fd(fd, handle);
	close(handle);
	for (int i = 0; i < ROUNDS; i++) {
		cudaMemPoolPtrExportData data;
		uint32_t *v;
		char done;

		CHECK(cudaMallocFromPoolAsync((void **)&v, WORDS * sizeof(*v),
		    pool, stream));
		CHECK(cudaMemsetAsync(v, i, WORDS * sizeof(*v), stream));
		stir_all<<<WORDS / 256, 256, 0, stream>>>(v, WORDS, i + 1);
		CHECK(cudaGetLastError());
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaMemPoolExportPointer(&data, v));
		pair_send(fd, &data, sizeof(data));
		pair_receive(fd, &done, 1);
		found[i] = pair_digest(v, stream);
		CHECK(cudaFreeAsync(v, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	status = pair_end(pid);
	for (int i = 0; i < ROUNDS; i++)
		printf("parent finds %08x\n", found[i]);
	printf("child ended with %d\n", status);
	CHECK(cudaMemPoolDestroy(pool));
	CHECK(cudaStreamDestroy(stream));
	return status != 0;
}
