"""An MLP on batches that are slices of a large NumPy array."""
import sys
import numpy as np
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
data = np.random.default_rng(0).standard_normal((64 * 1024, 4096), dtype=np.float32)
data = torch.from_numpy(data)
how = {}
if "fixed" in sys.argv:
    data, how = data.pin_memory(), dict(non_blocking=True)
model = torch.nn.Sequential(torch.nn.Linear(4096, 1024), torch.nn.ReLU(),
                            torch.nn.Linear(1024, 10)).cuda()
total = torch.zeros((), device="cuda")
with torch.no_grad():
    for _ in range(4):
        for i in range(0, len(data), 4096):
            x = data[i:i + 4096].to("cuda", **how)
            total += model(x).square().mean()
print(f"{total.item():.4f}")
