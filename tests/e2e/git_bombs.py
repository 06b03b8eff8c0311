"""Repositories that are small in transfer and huge when unpacked."""

import hashlib
import struct
import zlib

MODE_FILE, MODE_TREE = "100644", "40000"


def tree_bomb(repository, levels=10, width=10):
    """width^levels files with one object per level: 10^10 paths from a pack of a few hundred
    bytes."""
    of, mode = repository.blob(b"The walrus is everywhere.\n"), MODE_FILE
    for level in range(levels):
        of = repository.tree([(mode, b"d%d" % number, of) for number in range(width)])
        mode = MODE_TREE
    return repository.commit_tree(of)


def name_bomb(repository, names=20_000, size=1 << 20):
    """One text of `size` bytes under many names."""
    of = repository.blob(b"The walrus is everywhere. " * (size // 26))
    return repository.commit_tree(
        repository.tree([(MODE_FILE, b"f%06d" % number, of) for number in range(names)]))


def delta_bomb(repository, files=64, copies=8):
    """Files of `copies` × 16 MiB, each a delta of a few bytes on one base, beside a readable one."""
    block = b"\0" * 0xffffff  # maximum that one step of a delta copies
    base = block + b"base\n"
    pack, entries, offset = [], [], 12

    def add(kind, size, head, data):
        nonlocal offset
        first = kind << 4 | size & 15
        size >>= 4
        header = bytearray()
        while size:
            header.append(first | 0x80)
            first, size = size & 0x7f, size >> 7
        header.append(first)
        record = bytes(header) + head + zlib.compress(data, 1)
        at, offset = offset, offset + len(record)
        pack.append(record)
        return at

    base_at = add(3, len(base), b"", base)
    for number in range(files):
        ending = b"%06d\n" % number
        size = copies * len(block) + len(ending)
        delta = variable(len(base)) + variable(size)
        delta += b"\xf0\xff\xff\xff" * copies + bytes([len(ending)]) + ending
        add(6, len(delta), distance(offset - base_at), delta)
        named = hashlib.sha1(b"blob %d\0" % size)
        for _ in range(copies):
            named.update(block)
        named.update(ending)
        entries.append((MODE_FILE, b"bomb%06d" % number, named.hexdigest()))
    body = b"PACK" + struct.pack(">II", 2, len(pack)) + b"".join(pack)
    repository.git("-c", "core.bigFileThreshold=1g", "index-pack", "--stdin",
                   input=body + hashlib.sha1(body).digest())
    entries.append((MODE_FILE, b"readme.md", repository.blob(b"The walrus sleeps at noon.\n")))
    return repository.commit_tree(repository.tree(entries))


def variable(number):
    """A size in a delta: seven bits per byte, lowest first."""
    out = bytearray()
    while number > 0x7f:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes([*out, number])


def distance(number):
    """The distance back to the base of an offset delta."""
    out = [number & 0x7f]
    while number := number >> 7:
        number -= 1
        out.insert(0, number & 0x7f | 0x80)
    return bytes(out)
