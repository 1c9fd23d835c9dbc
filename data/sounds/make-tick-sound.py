#!/usr/bin/python3
"""Makes tick.wav beside this file: the soft tick of the countdown, 0.06 s, mono, 16 bits at 48 kHz. Same bytes each time."""
import math
import pathlib
import struct
import wave

RATE = 48_000
LENGTH = 0.06  # seconds
PITCH, FADE, LOUDNESS = 1320.0, 0.009, 0.22  # hertz, seconds, of full scale

with wave.open(str(pathlib.Path(__file__).with_name("tick.wav")), "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(RATE)
    for index in range(int(RATE * LENGTH)):
        time = index / RATE
        attack = min(1.0, time / 0.001)
        value = attack * math.exp(-time / FADE) * math.sin(2 * math.pi * PITCH * time)
        file.writeframes(struct.pack("<h", round(value * LOUDNESS * 32767)))
