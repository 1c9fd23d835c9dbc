#!/usr/bin/python3
"""Makes shutter.wav beside this file: two soft clicks of a curtain, 0.14 s, mono, 16 bits at 48 kHz. Same bytes each time."""
import math
import pathlib
import random
import struct
import wave

RATE = 48_000
LENGTH = 0.14  # seconds
# Each click: when it begins and how fast it fades (seconds), how loud, and the pitch of the wood below the noise (hertz).
CLICKS = [(0.002, 0.006, 0.55, 1450.0), (0.058, 0.012, 0.80, 980.0)]

random.seed(20261121)
samples = []
low = 0.0
for index in range(int(RATE * LENGTH)):
    time = index / RATE
    value = 0.0
    for start, fade, loudness, pitch in CLICKS:
        age = time - start
        if age < 0:
            continue
        attack = min(1.0, age / 0.0006)
        noise = random.uniform(-1, 1) * math.exp(-age / fade)
        body = math.sin(2 * math.pi * pitch * age) * math.exp(-age / (fade * 2.2))
        value += loudness * attack * (0.6 * noise + 0.4 * body)
    # A gentle low-pass: a click, not a crack.
    low += 0.45 * (value - low)
    samples.append(low)
peak = max(abs(sample) for sample in samples)
fade_out = int(RATE * 0.02)
with wave.open(str(pathlib.Path(__file__).with_name("shutter.wav")), "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(RATE)
    for index, sample in enumerate(samples):
        tail = min(1.0, (len(samples) - index) / fade_out)
        file.writeframes(struct.pack("<h", round(sample / peak * 0.5 * tail * 32767)))
