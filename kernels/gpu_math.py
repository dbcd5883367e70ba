"""The arithmetic that several kernels share, as Triton functions: random numbers, directions, places.

The names and the operations are those of `kernels.reference` and `kernels.reference_rules`, whose
docstrings hold equations and sources. A `field` is the tuple (x_end, y_end, width, height, fraction_bits):
where coordinates end in units, its sides in cells, and the bits behind a coordinate's point.
"""

# ruff: noqa: N803  (constants are upper-case in Triton, arguments or not)
import triton
import triton.language as tl

from kernels import contract, direction, world

S0, S1, S2, S3 = map(tl.constexpr, direction.SIN)
C0, C1, C2, C3 = map(tl.constexpr, direction.COS)
ROUND = tl.constexpr(contract.ROUND)
ROUND_BITS = tl.constexpr(0x4B400000)  # ROUND as a float32 lies in memory
MULTIPLY = tl.constexpr(contract.PCG_MULTIPLY)
ADD = tl.constexpr(contract.PCG_ADD)
SCRAMBLE = tl.constexpr(contract.PCG_SCRAMBLE)
GOLDEN = tl.constexpr(world.GOLDEN)
CHANCE_SHIFT = tl.constexpr(32 - contract.CHANCE_BITS)
PLACE = tl.constexpr((1 << world.POSITION_BITS) - 1)
PLACE_BESIDE_SPECIES = tl.constexpr((1 << world.SPECIES_BIT) - 1)
SPECIES_BIT = tl.constexpr(world.SPECIES_BIT)
SLOTS = tl.constexpr(len(contract.SLOTS))


@triton.jit
def pcg(value):
    """The PCG hash of each uint32; `contract.pcg` says whose it is."""
    state = value * MULTIPLY + ADD
    word = ((state >> ((state >> 28) + 4)) ^ state) * SCRAMBLE
    return (word >> 22) ^ word


@triton.jit
def luck_of(low, high, key):
    """A random number [BLOCK] for each agent, from the two halves of its word and the step's key."""
    return pcg(low + high * GOLDEN + key)


@triton.jit
def draw(luck, NUMBER: tl.constexpr):
    """Another random number [BLOCK], one of `contract.DRAWS`."""
    return pcg(luck + ((NUMBER * GOLDEN) & 0xFFFFFFFF))


@triton.jit
def chance(luck, NUMBER: tl.constexpr, likely):
    """Whether it happens [BLOCK], with a chance in 2**-24ths."""
    return (draw(luck, NUMBER) >> CHANCE_SHIFT).to(tl.float32) < likely


@triton.jit
def sincos(heading):
    """The direction (cos, sin) [BLOCK] of a heading in 65536ths of a circle."""
    quarter = (heading + 8192) >> 14
    t = (((heading + 8192) & 16383) - 8192).to(tl.float32) * (1 / 8192)
    u = t * t
    sin = t * (((S3 * u + S2) * u + S1) * u + S0)
    cos = ((C3 * u + C2) * u + C1) * u + C0
    swap = (quarter & 1) != 0
    c = tl.where(swap, sin, cos)
    s = tl.where(swap, cos, sin)
    return tl.where(((quarter + 1) & 2) != 0, -c, c), tl.where((quarter & 2) != 0, -s, s)


@triton.jit
def whole(number):
    """The nearest whole number [BLOCK] int32, of one between -2**22 and 2**22."""
    # Where ROUND + number lies, one unit in the last place is 1: the bits' difference is the whole number.
    return (number + ROUND).to(tl.int32, bitcast=True) - ROUND_BITS


@triton.jit
def displace(place, by, end):
    """Coordinates [BLOCK] uint32 moved by an offset in units, rounded and wrapped to 0 .. end - 1."""
    moved = place + whole(by).to(tl.uint32)
    # Of the place and the place one lap on or back, the one inside the field is the smaller unsigned number.
    moved = tl.minimum(moved, moved + end)
    return tl.minimum(moved, moved - end)


@triton.jit
def cell_of(x, y, field):
    """The number [BLOCK] int32 of the cell at some coordinates."""
    _, _, width, _, fraction_bits = field
    return ((y >> fraction_bits) * width + (x >> fraction_bits)).to(tl.int32)


@triton.jit
def mixed(first, second, share):
    """Numbers of the first set blended into those of the second."""
    return first + (second - first) * share


@triton.jit
def own_numbers(values_ptr, base, share, SPECIES: tl.constexpr, BLEND: tl.constexpr):
    """All numbers of `contract.SLOTS`, as a tuple; those nobody uses are not loaded.

    Args:
        values_ptr: Numbers [SETS, SPECIES, SLOTS].
        base: Where the species' numbers begin in a set.
        share: How far the second set holds, where there is a mask (BLEND).
        SPECIES: How many there are.
        BLEND: Whether there is a mask.
    """
    own = ()
    for slot in tl.static_range(SLOTS):
        value = tl.load(values_ptr + (base + slot))
        if BLEND:
            value = mixed(value, tl.load(values_ptr + (base + SPECIES * SLOTS + slot)), share)
        own = own + (value,)  # type: ignore[assignment]  # noqa: RUF005  (Triton knows no other way)
    return own


@triton.jit
def halves_of(word):
    """The two halves of agents' words, as `world.pack` makes them."""
    return word.to(tl.uint32), (word >> 32).to(tl.uint32)


@triton.jit
def word_of(x, y, heading, species, SPECIES: tl.constexpr):
    """Agents' words [BLOCK] int64."""
    turned = heading.to(tl.uint32)
    low = x | ((turned & 0xFF) << 24)
    high = y | (turned >> 8 << 24)
    if SPECIES > 1:
        kind = species.to(tl.uint32)
        low |= (kind & 1) << SPECIES_BIT
        high |= (kind >> 1) << SPECIES_BIT
    return (low.to(tl.uint64) | (high.to(tl.uint64) << 32)).to(tl.int64)


@triton.jit
def place_of(low, high, SPECIES: tl.constexpr):
    """Coordinates [BLOCK] uint32 in units, from the halves of agents' words."""
    bits: tl.constexpr = PLACE_BESIDE_SPECIES if SPECIES > 1 else PLACE
    return low & bits, high & bits


@triton.jit
def species_of(low, high, SPECIES: tl.constexpr):
    """Species [BLOCK] int32, from 0; a bare 0 where there is one."""
    species = 0
    if SPECIES > 1:
        species = (((low >> SPECIES_BIT) & 1) | (((high >> SPECIES_BIT) & 1) << 1)).to(tl.int32)
    return species


@triton.jit
def plane_of(species, cells, SPECIES: tl.constexpr):
    """Where a species' cells begin: 64 bits, as four fields may have more than 2**31 cells."""
    plane = 0
    if SPECIES > 1:
        plane = species.to(tl.int64) * cells
    return plane


@triton.jit
def cells_of(word, fraction_bits, SPECIES: tl.constexpr):
    """Column and row of agents, from their words."""
    low, high = halves_of(word)
    x, y = place_of(low, high, SPECIES)
    return (x >> fraction_bits).to(tl.int32), (y >> fraction_bits).to(tl.int32)
