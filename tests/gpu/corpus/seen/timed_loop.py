"""A training loop that measures each part of each step by synchronising."""
import sys
import time
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
model = torch.nn.Sequential(*[torch.nn.Linear(256, 256) for _ in range(8)]).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, fused=True)
x = torch.randn(4096, 256, device="cuda")
spent = {"forward": 0.0, "backward": 0.0, "step": 0.0}


def clock():
    if "fixed" not in sys.argv:
        torch.cuda.synchronize()
    return time.perf_counter()


for _ in range(800):
    a = clock()
    loss = model(x).square().mean()
    b = clock()
    optimizer.zero_grad()
    loss.backward()
    c = clock()
    optimizer.step()
    d = clock()
    spent["forward"] += b - a
    spent["backward"] += c - b
    spent["step"] += d - c
print(f"{loss.item():.4f}")
