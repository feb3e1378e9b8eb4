#!/usr/bin/env python3
"""A DataLoader that prepares each batch while the GPU waits for it."""
import pair

np, torch = pair.want("numpy", "torch")
torch = pair.torch_gpu()
STEPS = 128
BATCH = 32


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return STEPS * BATCH

    def __getitem__(self, i):
        image = np.random.default_rng(i).random(4096, dtype=np.float32)
        return np.sort(image)


def epoch(**how):
    torch.set_float32_matmul_precision("high")
    loader = torch.utils.data.DataLoader(Images(), batch_size=BATCH, **how)
    with torch.no_grad():
        w = torch.rand(4096, 4096, device="cuda") / 4096
        total = torch.zeros((), device="cuda")
        for batch in loader:
            x = batch.cuda(non_blocking=True).repeat(128, 1)
            for _ in range(16):
                y = torch.softmax(x @ w, dim=1)
            total += y.max()
        return total.item()


def bad():
    return epoch(num_workers=0, pin_memory=True)


def good():
    return epoch(num_workers=8, pin_memory=True, prefetch_factor=4)


pair.run(bad, good)
