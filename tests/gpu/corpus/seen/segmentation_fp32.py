"""Training DeepLab-like convolutions, in FP32 as it comes."""
import sys
import torch
from torch import nn

torch.manual_seed(0)
fixed = "fixed" in sys.argv


def block(i, o, d=1):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=d, dilation=d, bias=False),
                         nn.BatchNorm2d(o), nn.ReLU(inplace=True))


model = nn.Sequential(block(3, 64), block(64, 128), block(128, 128), block(128, 128, 2),
                      block(128, 128, 4), nn.Conv2d(128, 21, 1)).cuda()
x = torch.randn(8, 3, 256, 256, device="cuda")
if fixed:
    model = model.to(memory_format=torch.channels_last)
    x = x.to(memory_format=torch.channels_last)
y = torch.randint(0, 21, (8, 256, 256), device="cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
for _ in range(30):
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled=fixed):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
