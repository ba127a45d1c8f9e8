"""Answers the questions on standard input, one a line, as the program does: what scripts/try-wheel holds against it."""

import sys

from shardwise import lines

questions = sys.stdin.buffer.read().decode().removesuffix("\n").split("\n")
sys.stdout.buffer.write("".join(f"{line}\n" for line in lines.estimate(questions)).encode())
