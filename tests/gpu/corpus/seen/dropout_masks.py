"""Monte Carlo dropout: masks are drawn with torch.rand on the CPU and moved."""
import sys
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
w1 = torch.randn(4096, 4096, device="cuda") / 64
w2 = torch.randn(4096, 4096, device="cuda") / 64
x = torch.randn(1024, 4096, device="cuda")
total = torch.zeros_like(x)
with torch.no_grad():
    for _ in range(50):
        h = torch.relu(x @ w1)
        if "fixed" in sys.argv:
            mask = torch.rand(h.shape, device="cuda") > 0.1
        else:
            mask = (torch.rand(h.shape) > 0.1).to("cuda")
        total += (h * mask) @ w2
print(f"{total.std().item():.4f}")
