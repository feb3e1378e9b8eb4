#!/usr/bin/env python3
"""Half-precision convolutions of NCHW tensors: cuDNN converts them to NHWC."""
import pair

torch = pair.torch_gpu()
STEPS = 150


def convolve(memory_format):
    with torch.no_grad():
        layers = []
        for _ in range(6):
            layers += [torch.nn.Conv2d(64, 64, 3, padding=1), torch.nn.ReLU()]
        model = torch.nn.Sequential(*layers).cuda().half()
        x = torch.randn(128, 64, 56, 56, device="cuda").half()
        model = model.to(memory_format=memory_format)
        x = x.to(memory_format=memory_format)
        for _ in range(STEPS):
            y = model(x)
        return y.float().abs().mean().item()


def bad():
    return convolve(torch.contiguous_format)


def good():
    return convolve(torch.channels_last)


pair.run(bad, good)
