"""BERT of Hugging Face from a configuration, masked language model, plain loop."""
import sys
import torch
from transformers import BertConfig, BertForMaskedLM

torch.manual_seed(0)
config = BertConfig(hidden_size=512, num_hidden_layers=6, num_attention_heads=8,
                    intermediate_size=2048, vocab_size=30522)
model = BertForMaskedLM(config).cuda()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
ids = torch.randint(0, 30522, (24, 256), device="cuda")
for step in range(30):
    with torch.autocast("cuda", dtype=torch.bfloat16, enabled="fixed" in sys.argv):
        loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print(f"{loss.item():.4f}")
