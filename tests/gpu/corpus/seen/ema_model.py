"""An exponential moving average of a model's parameters, kept after each step."""
import sys
import copy
import torch
import torchvision

torch.manual_seed(0)
model = torchvision.models.resnet18(num_classes=10).cuda()
average = copy.deepcopy(model).requires_grad_(False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, fused=True)
ours, theirs = list(average.parameters()), list(model.parameters())


@torch.no_grad()
def update(decay=0.999):
    if "fixed" in sys.argv:
        torch._foreach_lerp_(ours, theirs, 1 - decay)
        return
    for e, p in zip(ours, theirs):
        e.copy_(decay * e + (1 - decay) * p)


x = torch.randn(8, 3, 64, 64, device="cuda")
y = torch.randint(0, 10, (8,), device="cuda")
for _ in range(150):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    update()
print(f"{sum(p.abs().mean() for p in average.parameters()).item():.4f}")
