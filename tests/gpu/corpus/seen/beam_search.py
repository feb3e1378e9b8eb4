"""Greedy decoding that asks on the host after each token whether all are done."""
import sys
import torch

torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
cell = torch.nn.GRUCell(512, 512).cuda()
out = torch.nn.Linear(512, 8192).cuda()
embed = torch.nn.Embedding(8192, 512).cuda()
with torch.inference_mode():
    for sentence in range(6):
        token = torch.zeros(64, dtype=torch.long, device="cuda")
        state = torch.randn(64, 512, device="cuda")
        done = torch.zeros(64, dtype=torch.bool, device="cuda")
        words = []
        for t in range(200):
            state = cell(embed(token), state)
            token = out(state).argmax(dim=1)
            done |= token == 1
            words.append(token if "fixed" in sys.argv else token.cpu())
            if ("fixed" not in sys.argv or t % 50 == 49) and done.all():
                break
print(int(torch.stack(words).sum()))
