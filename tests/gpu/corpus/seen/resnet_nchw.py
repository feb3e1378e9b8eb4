"""ResNet-50 inference in half precision."""
import sys
import torch
import torchvision

torch.manual_seed(0)
torch.backends.cudnn.benchmark = True
model = torchvision.models.resnet50().cuda().half().eval()
x = torch.randn(128, 3, 224, 224, device="cuda", dtype=torch.half)
if "fixed" in sys.argv:
    model = model.to(memory_format=torch.channels_last)
    x = x.to(memory_format=torch.channels_last)
with torch.inference_mode():
    for _ in range(40):
        y = model(x)
print(y.float().abs().mean().item())
