"""ResNet-18 on images that are decoded and augmented by a Dataset in Python."""
import sys
import numpy as np
import torch
import torchvision
from torchvision import transforms


class Pictures(torch.utils.data.Dataset):
    augment = transforms.Compose([transforms.RandomResizedCrop(160, antialias=True),
                                  transforms.RandomHorizontalFlip()])

    def __len__(self):
        return 768

    def __getitem__(self, i):
        raw = np.random.default_rng(i).integers(0, 255, (3, 256, 256), np.uint8)
        return self.augment(torch.from_numpy(raw).float() / 255), i % 10


def main():
    torch.manual_seed(0)
    model = torchvision.models.resnet18(num_classes=10).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    how = dict(num_workers=12, pin_memory=True) if "fixed" in sys.argv else {}
    loader = torch.utils.data.DataLoader(Pictures(), batch_size=32, **how)
    for x, y in loader:
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
