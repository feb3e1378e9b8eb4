"""k-means in PyTorch with a few clusters: sums by index_add_."""
import sys
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
x = torch.randn(4_000_000, 16, device="cuda")
centers = x[:8].clone()
for _ in range(15):
    nearest = torch.cdist(x, centers).argmin(dim=1)
    if "fixed" in sys.argv:
        member = torch.nn.functional.one_hot(nearest, 8).float()
        sums, count = member.T @ x, member.sum(dim=0)
    else:
        sums = torch.zeros(8, 16, device="cuda").index_add_(0, nearest, x)
        count = torch.zeros(8, device="cuda").index_add_(
            0, nearest, torch.ones(len(x), device="cuda"))
    centers = sums / count[:, None]
print(f"{centers.norm().item():.4f}")
