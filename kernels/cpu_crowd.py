"""One agent per cell: who gets the cell it wants, as `reference_moves.crowded_out` says.

First all agents write down where they would go. Then each worker settles the claims on its share of the
cells, and at last each moves its share of the agents: no two threads ever write to one place.
"""

from numba import prange

from kernels.cpu_model import (
    BLOCK_BITS,
    CELLS,
    FRACTION_BITS,
    ONE,
    PLACE,
    TWO,
    WIDTH,
    cell,
    i32,
    i64,
    jit,
    joined,
    kind,
    luck,
    parallel,
    share,
    u32,
    u64,
)
from kernels.cpu_moves import BY_BLOCKED, JUMPS, STAYS, settle
from kernels.cpu_rules import FATE
from kernels.cpu_scene import drawn


@jit
def wish(out, idle, agents, shape, places):
    """Words as agents would have them into `out`; into `idle`, who stays at an edge or a wall."""
    settle(out, agents, shape, places)
    for i in range(u64(agents)):
        idle[i] = u32(places[FATE + i] & u32(STAYS | JUMPS)) == STAYS


@parallel
def crowd(settled, words, key, shape, wishes, idle, taken, claims, planes, touched):
    """Settles all claims, or moves all by them: one loop for both is compiled in half the time."""
    workers = len(planes)
    for w in prange(workers):
        if settled:
            resolve(words, key, shape, wishes, idle, taken, claims, planes[w], touched[w], i64(w), workers)
        else:
            claim(words, key, shape, wishes, taken, claims, i64(w), workers)


@jit
def claim(words, key, shape, wishes, taken, claims, worker, workers):
    """Which of a worker's cells are taken, and the highest claim on each."""
    first, last = share(len(taken), worker, workers)
    for c in range(u64(first), u64(last)):
        taken[c], claims[c] = False, u64(0)
    first, many = u32(first), u32(last - first)
    for i in range(u64(len(words) >> 1)):
        here, there = stand(words, i, shape), stand(wishes, i, shape)
        if u32(here - first) < many:
            taken[here] = True
        if u32(there - first) < many and here != there:
            own = claimed(words, i, key)
            if own > claims[there]:
                claims[there] = own


@jit
def resolve(words, key, shape, wishes, idle, taken, claims, plane, touched, worker, workers):
    """Moves a worker's agents where they can go; who came somewhere, or kept its cell freely, is counted."""
    block_bits = u32(u32(shape[BLOCK_BITS] - shape[FRACTION_BITS]) & u32(31))
    first, last = share(len(words) >> 1, worker, workers)
    for i in range(u64(first), u64(last)):
        here, there = stand(words, i, shape), stand(wishes, i, shape)
        low, high = wishes[TWO * i], wishes[TWO * i + ONE]
        failed = here != there and (taken[there] or claims[there] != claimed(words, i, key))
        species = kind(low, high, shape)
        if not failed and not idle[i]:
            plane[u32(u32(species * shape[CELLS]) + there)] += i32(1)
            block = u32(u32(u32(high & shape[PLACE]) >> shape[FRACTION_BITS]) >> block_bits)
            touched[species] = u32(touched[species] | u32(u32(1) << block))
        if failed:
            x, y = u32(words[TWO * i] & shape[PLACE]), u32(words[TWO * i + ONE] & shape[PLACE])
            low, high = joined(
                x, y, drawn(luck(words[TWO * i], words[TWO * i + ONE], key), BY_BLOCKED), species
            )
        words[TWO * i], words[TWO * i + ONE] = low, high


@jit
def stand(words, i, shape):
    """The cell of an agent."""
    x, y = u32(words[TWO * i] & shape[PLACE]), u32(words[TWO * i + ONE] & shape[PLACE])
    return cell(x, y, shape[WIDTH], u32(shape[FRACTION_BITS] & u32(31)))


@jit
def claimed(words, i, key):
    """An agent's claim on the cell it wants: no two have the same."""
    low, high = words[TWO * i], words[TWO * i + ONE]
    return u64(u64(luck(low, high, key)) << u64(32) | u64(low))
