"""A character-level LSTM trained on one-hot characters, as in many courses."""
import sys
import math
import torch
from torch import nn
import torch.nn.functional as F

FIXED = "fixed" in sys.argv
import numpy as np

def one_hot_encode(arr, n_labels):
    one_hot = np.zeros((arr.size, n_labels), dtype=np.float32)
    one_hot[np.arange(one_hot.shape[0]), arr.flatten()] = 1.
    return one_hot.reshape((*arr.shape, n_labels))


def get_batches(arr, batch_size, seq_length):
    """Yields x and y of batch_size x seq_length; y is x shifted by one."""
    n = batch_size * seq_length
    arr = arr[:len(arr) // n * n].reshape((batch_size, -1))
    for i in range(0, arr.shape[1], seq_length):
        x = arr[:, i:i + seq_length]
        y = np.zeros_like(x)
        y[:, :-1], y[:, -1] = x[:, 1:], arr[:, (i + seq_length) % arr.shape[1]]
        yield x, y


class CharRNN(nn.Module):
    def __init__(self, n_chars, n_hidden=512, n_layers=2, drop_prob=0.5):
        super().__init__()
        self.lstm = nn.LSTM(n_chars, n_hidden, n_layers, dropout=drop_prob, batch_first=True)
        self.dropout = nn.Dropout(drop_prob)
        self.fc = nn.Linear(n_hidden, n_chars)

    def forward(self, x, hidden):
        out, hidden = self.lstm(x, hidden)
        out = self.dropout(out)
        return self.fc(out.contiguous().view(-1, out.shape[-1])), hidden


EPOCHS = 6
TEXT = 1_300_000
CHARS = 83
torch.manual_seed(0)
torch.set_float32_matmul_precision("high")
device = "cuda"
encoded = np.random.default_rng(0).zipf(1.3, TEXT) % CHARS
net = CharRNN(CHARS).to(device)
opt = torch.optim.Adam(net.parameters(), lr=0.001)
criterion = nn.CrossEntropyLoss()
counter = 0
for e in range(EPOCHS):
    h = tuple(torch.zeros(2, 128, 512, device=device) for _ in range(2))
    for x, y in get_batches(encoded, 128, 100):
        counter += 1
        if FIXED:   # the characters cross as they are
            inputs = F.one_hot(torch.from_numpy(x).to(device), CHARS).float()
        else:
            x = one_hot_encode(x, CHARS)
            inputs = torch.from_numpy(x).to(device)
        targets = torch.from_numpy(y).to(device)
        h = tuple(each.data for each in h)
        net.zero_grad()
        output, h = net(inputs, h)
        loss = criterion(output, targets.view(128 * 100).long())
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5)
        opt.step()
        if counter % 100 == 0:
            last = loss.item()
print(f"{counter} steps, loss {last:.1f}")
