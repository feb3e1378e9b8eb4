"""A language model's head in bfloat16, with GPT-2's vocabulary of 50257."""
import sys
import torch

torch.manual_seed(0)
WORDS = 50304 if "fixed" in sys.argv else 50257
head = torch.nn.Linear(768, WORDS, bias=False, device="cuda", dtype=torch.bfloat16)
x = torch.randn(8192, 768, device="cuda", dtype=torch.bfloat16, requires_grad=True)
target = torch.randint(0, 50257, (8192,), device="cuda")
for _ in range(40):
    loss = torch.nn.functional.cross_entropy(head(x), target)
    loss.backward()
    head.weight.grad = x.grad = None
print(f"{loss.item():.4f}")
