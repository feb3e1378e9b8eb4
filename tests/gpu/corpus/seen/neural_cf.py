"""Neural collaborative filtering (NeuMF): a million users, half a million items."""
import sys
import math
import torch
from torch import nn
import torch.nn.functional as F

FIXED = "fixed" in sys.argv

class NeuMF(nn.Module):
    def __init__(self, users, items, factors=32, layers=3):
        super().__init__()
        wide = factors * 2 ** (layers - 1)
        self.user_gmf = nn.Embedding(users, factors, sparse=FIXED)
        self.item_gmf = nn.Embedding(items, factors, sparse=FIXED)
        self.user_mlp = nn.Embedding(users, wide, sparse=FIXED)
        self.item_mlp = nn.Embedding(items, wide, sparse=FIXED)
        mlp = []
        for i in range(layers):
            n = factors * 2 ** (layers - i)
            mlp += [nn.Linear(n, n // 2), nn.ReLU()]
        self.mlp = nn.Sequential(*mlp)
        self.predict = nn.Linear(2 * factors, 1)

    def forward(self, user, item):
        gmf = self.user_gmf(user) * self.item_gmf(item)
        mlp = self.mlp(torch.cat((self.user_mlp(user), self.item_mlp(item)), -1))
        return self.predict(torch.cat((gmf, mlp), -1)).view(-1)


STEPS = 900
USERS = 1_000_000
ITEMS = 500_000
torch.manual_seed(0)
device = "cuda"
with torch.device(device):
    model = NeuMF(USERS, ITEMS)
if FIXED:
    tables = [p for n, p in model.named_parameters() if "_gmf" in n or "user_mlp" in n or "item_mlp" in n]
    others = [p for n, p in model.named_parameters() if "_gmf" not in n and "user_mlp" not in n and "item_mlp" not in n]
    optimizers = [torch.optim.SparseAdam(tables, lr=0.001), torch.optim.Adam(others, lr=0.001)]
else:
    optimizers = [torch.optim.Adam(model.parameters(), lr=0.001)]
loss_function = nn.BCEWithLogitsLoss()
for step in range(STEPS):
    user = torch.randint(USERS, (1024,), device=device)
    item = torch.randint(ITEMS, (1024,), device=device)
    label = ((user + item) % 5 == 0).float()
    model.zero_grad()
    loss = loss_function(model(user, item), label)
    loss.backward()
    for optimizer in optimizers:
        optimizer.step()
print(f"loss {loss.item():.1f}")
