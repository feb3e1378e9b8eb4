"""A deep MLP with an Adam that the author wrote after the paper."""
import sys
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
layers = []
for _ in range(60):
    layers += [torch.nn.Linear(512, 512), torch.nn.LayerNorm(512), torch.nn.GELU()]
model = torch.nn.Sequential(*layers).cuda()
params = list(model.parameters())
m = [torch.zeros_like(p) for p in params]
v = [torch.zeros_like(p) for p in params]


@torch.no_grad()
def adam(step, lr=1e-3, b1=0.9, b2=0.999, eps=1e-8):
    for p, mi, vi in zip(params, m, v):
        mi.mul_(b1).add_(p.grad * (1 - b1))
        vi.mul_(b2).add_(p.grad * p.grad * (1 - b2))
        mhat = mi / (1 - b1 ** step)
        vhat = vi / (1 - b2 ** step)
        p.sub_(lr * mhat / (vhat.sqrt() + eps))


fused = torch.optim.Adam(params, lr=1e-3, fused=True)
x = torch.randn(256, 512, device="cuda")
for step in range(1, 81):
    loss = (model(x) - x).square().mean()
    model.zero_grad()
    loss.backward()
    fused.step() if "fixed" in sys.argv else adam(step)
print(f"{loss.item():.4f}")
