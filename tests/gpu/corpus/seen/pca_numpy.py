"""Principal components of data from NumPy by power iteration."""
import sys
import numpy as np
import torch

rng = np.random.default_rng(0)
data = rng.standard_normal((20000, 4096))
if "fixed" in sys.argv:
    data = data.astype(np.float32)
x = torch.from_numpy(data).cuda()
x = x - x.mean(dim=0)
q = torch.linalg.qr(torch.ones_like(x[:4096, :32]).normal_())[0]
for _ in range(1500):
    z = x.T @ (x @ q)
    q = z / z.norm(dim=0)
    q = torch.linalg.qr(q)[0] if _ % 100 == 99 else q
print(f"{(x @ q).var(dim=0).sum().item():.5g}")
