"""A convolutional autoencoder, with its progress kept for a curve and a progress bar."""
import sys

import torch
from torch import nn

torch.manual_seed(0)
fixed = "fixed" in sys.argv
net = nn.Sequential(
    nn.Conv2d(1, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(),
    nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(16, 1, 4, 2, 1)).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, foreach=True)
images = torch.rand(4096, 1, 32, 32, device="cuda")
curve = []
for step in range(600):
    batch = images[(step * 64) % 4096:][:64]
    loss = (net(batch) - batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    if fixed:
        curve.append(torch.stack((loss.detach(), norm)))
    else:
        largest = max(p.abs().max().item() for p in net.parameters())
        curve.append((loss.item(), norm.item()))
        if largest > 100:
            break
curve = torch.stack(curve).tolist() if fixed else curve
print(f"loss {curve[0][0]:.4f} at first, {curve[-1][0]:.4f} in the end")
sys.exit(0 if curve[-1][0] < curve[0][0] else 1)
