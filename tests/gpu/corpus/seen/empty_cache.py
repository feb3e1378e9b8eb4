"""Feature extraction that empties the cache after each batch, to be safe."""
import sys
import torch
import torchvision

torch.manual_seed(0)
model = torchvision.models.resnet18().cuda().eval()
features = []
with torch.no_grad():
    for i in range(80):
        x = torch.rand(32, 3, 192 + 32 * (i % 2), 192 + 32 * (i % 2), device="cuda")
        features.append(model(x).mean(dim=0))
        del x
        if "fixed" not in sys.argv:
            torch.cuda.empty_cache()
print(f"{torch.stack(features).norm().item():.4f}")
