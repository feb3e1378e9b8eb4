#!/usr/bin/env python3
"""nccl.py: two processes, a GPU each, reduce between the two with NCCL.

Their results go to stdout (the same every time), rank 0 first.
"""
import os
import socket
import sys

try:
    import torch
    import torch.distributed as dist
    import torch.multiprocessing as mp
except ImportError:
    print("skipped: PyTorch is not installed", file=sys.stderr)
    sys.exit(77)

RANKS = 2


def rank(me, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
    torch.cuda.set_device(me)
    dist.init_process_group("nccl", rank=me, world_size=RANKS)
    x = torch.arange(1 << 16, device="cuda", dtype=torch.int64) + me
    for _ in range(100):
        x = (x * 5 + 1) % 65537
        dist.all_reduce(x)
    total = int(x.sum())
    for turn in range(RANKS):
        dist.barrier()
        if turn == me:
            print(f"rank {me}: {total}", flush=True)
    dist.destroy_process_group()


def main():
    if not dist.is_nccl_available():
        print("skipped: PyTorch has no NCCL", file=sys.stderr)
        sys.exit(77)
    # Returns the number of GPUs without initialising CUDA here, so that
    # children start clean.
    if torch.cuda.device_count() < RANKS:
        print("skipped: fewer than two GPUs", file=sys.stderr)
        sys.exit(77)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    mp.spawn(rank, args=(port,), nprocs=RANKS)


if __name__ == "__main__":
    main()
