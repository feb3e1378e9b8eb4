#!/usr/bin/env python3
"""A DataLoader that prepares each batch while the GPU waits for it."""
import pair

np, torch = pair.want("numpy", "torch")
torch = pair.torch_gpu()


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 2048

    def __getitem__(self, i):
        image = np.random.default_rng(i).random(49152, dtype=np.float32)
        return np.sort(image)


def epoch(**how):
    loader = torch.utils.data.DataLoader(Images(), batch_size=32, **how)
    with torch.no_grad():
        w = torch.rand(49152, 512, device="cuda")
        total = torch.zeros((), device="cuda")
        for batch in loader:
            x = batch.cuda(non_blocking=True)
            for _ in range(8):
                y = torch.softmax(x @ w, dim=1)
            total += y.max()
        return total.item()


def bad():
    return epoch(num_workers=0, pin_memory=True)


def good():
    return epoch(num_workers=8, pin_memory=True, prefetch_factor=4)


pair.run(bad, good)
