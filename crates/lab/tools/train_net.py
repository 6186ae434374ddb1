#!/usr/bin/env python3
"""Trains the built-in engine's net on positions that `lab selfplay` kept.

    crates/lab/tools/train_net.py --positions games/*.bin --seed 1 --net crates/builtin/src/evaluation/net.bin

Needs numpy and torch (the processor is enough). The same positions, seed and number of threads give the same net.

The net: for each side 768 inputs (own or their man, its kind, its square from that side's view, files mirrored so
that the own king stands on the files a to d), one hidden layer shared by both, squared clipped ReLU, and one output
for each of eight counts of men. It is written as integers: hidden weights and biases in 255ths, output weights in
64ths, output biases in 255 * 64ths.
"""

import argparse
import hashlib
import math
import time

import numpy
import torch

INPUTS = 768
BUCKETS = 8
QUANTUM_HIDDEN, QUANTUM_OUTPUT = 255, 64
# An output of one in centipawns.
SCALE = 400
RECORD = numpy.dtype([("occupied", "<u8"), ("men", "u1", 16), ("score", "<i2"), ("result", "u1"), ("king", "u1"),
                      ("their_king", "u1"), ("extra", "u1", 3)])


class Positions:
    """Positions as arrays: both sides' inputs as bits, the number of men and the score."""

    def __init__(self, paths):
        records = numpy.concatenate([numpy.fromfile(path, dtype=RECORD) for path in paths])
        self.count = len(records)
        self.inputs = numpy.empty((2, self.count, INPUTS // 8), dtype=numpy.uint8)
        self.men = numpy.empty(self.count, dtype=numpy.int64)
        for begin in range(0, self.count, 1 << 16):
            self._read(records[begin:begin + (1 << 16)], begin)
        self.score = torch.from_numpy(records["score"].astype(numpy.float32))

    def _read(self, records, begin):
        end = begin + len(records)
        boards = numpy.ascontiguousarray(records["occupied"]).view("u1").reshape(-1, 8)
        rows, squares = numpy.nonzero(numpy.unpackbits(boards, axis=1, bitorder="little"))
        first = numpy.searchsorted(rows, numpy.arange(len(records) + 1))
        self.men[begin:end] = numpy.diff(first)
        men = numpy.stack([records["men"] & 15, records["men"] >> 4], 2).reshape(-1, 32)
        men = men[rows, numpy.arange(len(rows)) - first[rows]].astype(numpy.int64)
        own = (men >> 3) * 384 + (men & 7) * 64 + squares
        their = (own + 384) % 768 ^ 56
        for side, (view, king) in enumerate(((own, "king"), (their, "their_king"))):
            mirrored = (records[king] & 7) > 3
            bits = numpy.zeros((len(records), INPUTS), dtype=numpy.uint8)
            bits[rows, numpy.where(mirrored[rows], view ^ 7, view)] = 1
            self.inputs[side, begin:end] = numpy.packbits(bits, axis=1)

    def batch(self, chosen):
        bits = numpy.unpackbits(self.inputs[:, chosen], axis=2)
        # Zeros and ones are exact in sixteen bits, and the processor multiplies them much faster.
        return torch.from_numpy(bits).bfloat16(), torch.from_numpy((self.men[chosen] - 1) // 4)


class Net(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = torch.nn.Parameter(torch.randn(INPUTS, hidden) * 0.1)
        self.bias = torch.nn.Parameter(torch.zeros(hidden))
        self.output = torch.nn.Linear(2 * hidden, BUCKETS)
        with torch.no_grad():
            # Every bucket begins as the same.
            self.output.weight[:] = self.output.weight[0].clone()
            self.output.bias.zero_()

    def forward(self, inputs, bucket):
        halves = (inputs @ self.hidden.bfloat16()).float() + self.bias
        own, their = halves.clamp(0, 1).square()
        told = self.output(torch.cat((own, their), 1))
        return told.gather(1, bucket[:, None])[:, 0]

    @torch.no_grad()
    def clip(self):
        self.output.weight.clamp_(-127 / QUANTUM_OUTPUT, 127 / QUANTUM_OUTPUT)
        self.hidden.clamp_(-1.98, 1.98)

    @torch.no_grad()
    def read(self, path):
        data = open(path, "rb").read()
        weights = (self.hidden, self.bias, self.output.weight)
        for tensor, quantum in zip(weights, (QUANTUM_HIDDEN, QUANTUM_HIDDEN, QUANTUM_OUTPUT)):
            whole = numpy.frombuffer(data, "<i2", tensor.numel()).astype(numpy.float32)
            tensor.copy_(torch.from_numpy(whole / quantum).reshape(tensor.shape))
            data = data[2 * tensor.numel():]
        biases = numpy.frombuffer(data, "<i4").astype(numpy.float32)
        self.output.bias.copy_(torch.from_numpy(biases / (QUANTUM_HIDDEN * QUANTUM_OUTPUT)))

    @torch.no_grad()
    def write(self, path):
        def whole(tensor, quantum):
            return (tensor * quantum).round().clamp(-32767, 32767).numpy().astype("<i2").tobytes()

        data = whole(self.hidden, QUANTUM_HIDDEN) + whole(self.bias, QUANTUM_HIDDEN)
        data += whole(self.output.weight, QUANTUM_OUTPUT)
        data += (self.output.bias * QUANTUM_HIDDEN * QUANTUM_OUTPUT).round().numpy().astype("<i4").tobytes()
        with open(path, "wb") as file:
            file.write(data)
        print(f"{path}: {len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", nargs="*", default=[], help="without any, the net to begin with is written")
    parser.add_argument("--net", required=True)
    parser.add_argument("--begin", help="a net to begin with")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch", type=int, default=8192)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--decay", type=float, default=0.1)
    parser.add_argument("--curve", type=float, default=240, help="centipawns per unit of the logistic curve")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    generator = numpy.random.default_rng(args.seed)
    net = Net(args.hidden)
    if args.begin:
        net.read(args.begin)
    if not args.positions:
        return net.write(args.net)
    began = time.monotonic()
    positions = Positions(args.positions)
    goal = torch.sigmoid(positions.score / args.curve)
    # Whole stretches are held back: positions of one game are alike.
    held = numpy.arange(positions.count) // 4096 % 40 == 0
    held_back, learnt = numpy.nonzero(held)[0], numpy.nonzero(~held)[0]
    print(f"{positions.count} positions, {len(held_back)} held back, read in {time.monotonic() - began:.0f} s", flush=True)
    forward = torch.compile(net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=args.rate, weight_decay=args.decay)
    batches = len(learnt) // args.batch
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, args.rate, total_steps=args.epochs * batches, pct_start=0.1, final_div_factor=100)

    def loss(chosen):
        told = torch.sigmoid(forward(*positions.batch(chosen)) * (SCALE / args.curve))
        return ((told - goal[chosen]) ** 2).mean()

    for epoch in range(args.epochs):
        generator.shuffle(learnt)
        total = 0.0
        for batch in range(batches):
            optimizer.zero_grad()
            value = loss(learnt[batch * args.batch:(batch + 1) * args.batch])
            value.backward()
            optimizer.step()
            schedule.step()
            net.clip()
            total += value.item()
        with torch.no_grad():
            parts = numpy.array_split(held_back, max(1, len(held_back) // args.batch))
            kept = sum(loss(part).item() * len(part) for part in parts) / len(held_back)
        print(f"epoch {epoch + 1}: loss {total / batches:.6f}, held back {kept:.6f}, "
              f"{time.monotonic() - began:.0f} s", flush=True)
    net.write(args.net)


main()
