"""A small encoder for documents of 2,048 words; its attention as the paper writes it."""
import math
import sys

import torch
from torch import nn
import torch.nn.functional as F

FIXED = "fixed" in sys.argv


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        b, n, w = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        if FIXED:
            y = F.scaled_dot_product_attention(q, k, v)
        else:
            scores = q @ k.transpose(-2, -1) / math.sqrt(w // self.heads)
            y = scores.softmax(dim=-1) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, w))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = SelfAttention(width, heads)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


torch.manual_seed(0)
model = nn.Sequential(*[Block(768, 12) for _ in range(4)]).cuda().half().eval()
words = torch.randn(8, 2048, 768, device="cuda", dtype=torch.half)
with torch.no_grad():
    for _ in range(30):
        documents = model(words).mean(dim=1)
    # One head on one document, by hand.
    attention = model[0].attention
    x = model[0].norm1(words[:1])
    y = attention(x)
    q, k, v = attention.qkv(x).float().view(1, 2048, 3, 12, 64).permute(2, 0, 3, 1, 4)
    p = (q @ k.transpose(-2, -1) / 8).softmax(-1) @ v
    want = p.transpose(1, 2).reshape(1, 2048, 768) @ attention.out.weight.float().T + attention.out.bias.float()
error = (y.float() - want).abs().max().item()
print("mean", documents.float().mean().item(), "error", error)
sys.exit(0 if error < 0.02 and torch.isfinite(documents).all() else 1)
