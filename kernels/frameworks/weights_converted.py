#!/usr/bin/env python3
"""Layers that convert their 32-bit weights to 16 bits at each call."""
import pair

torch = pair.torch_gpu()
STEPS = 400


class Layer(torch.nn.Linear):
    def forward(self, x):
        return torch.nn.functional.linear(
            x, self.weight.to(x.dtype), self.bias.to(x.dtype))


def infer(convert):
    with torch.no_grad():
        layers = []
        for _ in range(8):
            layers += [Layer(4096, 4096), torch.nn.ReLU()]
        model = convert(torch.nn.Sequential(*layers).cuda())
        x = torch.randn(16, 4096, device="cuda").half()
        for _ in range(STEPS):
            y = model(x)
        return y.float().abs().mean().item()


def bad():
    return infer(lambda model: model)


def good():
    return infer(lambda model: model.half())


pair.run(bad, good)
