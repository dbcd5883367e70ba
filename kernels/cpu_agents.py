"""The agents' part of a step: which loops a chunk of agents goes through, on all threads."""

from numba import prange

from kernels import cpu_responses
from kernels import cpu_rules as rules
from kernels.cpu_crowd import wish
from kernels.cpu_model import (
    CELLS,
    CHUNK,
    NONE,
    aim,
    deposit,
    face,
    i64,
    jit,
    kind,
    parallel,
    sense,
    share,
    steer_and_move,
    u32,
    u64,
)
from kernels.cpu_moves import hold, move, settle, struck
from kernels.cpu_rules import LUCK
from kernels.cpu_scene import BLEND, BOUNDARY, CROWDED, GROUND, JOINS, LIFE, RESPONSES, WRAP

FEWER = (
    CHUNK // 2
)  # agents a chunk has where each brings numbers of its own, so that all stay in the L1 cache


@parallel
def update_plainly(words, sensed, values, shape, key, planes, touched, places, numbers):
    """All agents sense, steer, move and deposit, by the plain rule."""
    for w in prange(len(planes)):
        work(
            words, sensed[0], values[0, 0], shape, key,
            planes[w], touched[w], places[w], numbers[w], i64(w), len(planes),
        )  # fmt: skip


@jit
def work(words, trail, values, shape, key, plane, touched, places, numbers, worker, workers):
    """The agents of a worker, chunk by chunk."""
    blocks = NONE
    first, last = share(len(words) >> 1, worker, workers)
    for start in range(first, last, CHUNK):
        agents = min(CHUNK, last - start)
        chunk = words[2 * start : 2 * (start + agents)]
        face(chunk, numbers)
        aim(chunk, values, shape, places, numbers)
        sense(trail, agents, places, numbers)
        blocks |= steer_and_move(chunk, values, shape, key, NONE, places, numbers)
        deposit(plane, agents, places)
    touched[0] = blocks


@parallel
def update_by_rules(
    words, trail, smell, sensed, ground, mask, births, values, responses, shape, key,
    planes, touched, places, numbers, wishes, idle,
):  # fmt: skip
    """The same by all rules that are on; on a crowded field agents only write down where to."""
    for w in prange(len(planes)):
        work_by_rules(
            words, trail, smell, sensed, ground, mask, births, values, responses, shape, key,
            planes[w], touched[w], places[w], numbers[w], wishes, idle, i64(w), len(planes),
        )  # fmt: skip


@jit
def work_by_rules(
    words, trail, smell, sensed, ground, mask, births, values, responses, shape, key,
    plane, touched, places, numbers, wishes, idle, worker, workers,
):  # fmt: skip
    """The agents of a worker, chunk by chunk; those of a chunk are of one species."""
    for k in range(len(touched)):
        touched[k] = NONE
    first, last = share(len(words) >> 1, worker, workers)
    free = is_free(shape)
    most = CHUNK if free and not shape[RESPONSES] else FEWER
    for start in range(first, last, most):
        end = min(start + most, last)
        rules.group(words[2 * start : 2 * end], shape, places)
        while start < end:
            agents = i64(rules.alike(words[2 * start : 2 * end], shape))
            chunk = words[2 * start : 2 * (start + agents)]
            k = kind(chunk[0], chunk[1], shape)
            own = values[k]
            if free:
                blocks = roam(
                    chunk, smell[k], sensed[k], ground, mask, own, responses[k], shape, key, k,
                    places, numbers,
                )  # fmt: skip
                deposit(plane[i64(k) * i64(shape[CELLS]) :], agents, places)
                touched[k] = u32(touched[k] | blocks)
            else:
                decide(
                    chunk, trail, smell[k], sensed[k], mask, own, responses[k], shape, key, k, places, numbers
                )
                move(chunk, ground, births, own, shape, places, numbers)
                if shape[CROWDED]:
                    wish(wishes[2 * start :], idle[start:], agents, shape, places)
                else:
                    blocks = settle(chunk, agents, shape, places)
                    deposit(plane, agents, places)
                    for other in range(len(values)):
                        if other == k or shape[JOINS]:
                            touched[other] = u32(touched[other] | blocks)
            start = int(start + agents)


@jit
def is_free(shape):
    """Whether a step ends where its direction leads, or at a wall, on a torus."""
    return shape[BOUNDARY] == WRAP and not (shape[LIFE] or shape[JOINS] or shape[CROWDED])


@jit
def roam(words, smell, sensed, ground, mask, own, tables, shape, key, species, places, numbers):
    """A step of a chunk of one species by few loops, where `is_free`.

    Returns:
        The blocks of rows they stand in, as a mask.
    """
    agents = len(words) >> 1
    before = places[LUCK:]
    face(words, numbers)
    if shape[RESPONSES]:
        if shape[BLEND]:
            rules.weigh(words, mask, shape, numbers)
        cpu_responses.respond(words, smell, own, tables, shape, places, numbers)
        rules.aim(words, shape, places, numbers)
    else:
        aim(words, own[0], shape, places, numbers)
    sense(sensed, agents, places, numbers)
    if shape[GROUND]:
        for i in range(u64(len(words))):
            before[i] = words[i]
    if shape[RESPONSES]:
        blocks = cpu_responses.steer_and_move(words, shape, key, species, places, numbers)
    else:
        blocks = steer_and_move(words, own[0], shape, key, species, places, numbers)
    if shape[GROUND] and struck(ground, agents, places):
        blocks = u32(blocks | hold(words, before, ground, shape, key, species, places))
    return blocks


@jit
def decide(chunk, trail, smell, sensed, mask, own, tables, shape, key, species, places, numbers):
    """A chunk of one species, until all know where they look; in the order of `reference.advance`."""
    agents = len(chunk) >> 1
    face(chunk, numbers)
    if shape[BLEND]:
        rules.weigh(chunk, mask, shape, numbers)
    if shape[RESPONSES]:
        cpu_responses.respond(chunk, smell, own, tables, shape, places, numbers)
    else:
        rules.equip(agents, own, numbers)
    rules.aim(chunk, shape, places, numbers)
    if shape[BOUNDARY] == WRAP:
        sense(sensed, agents, places, numbers)
    else:
        rules.mark(chunk, shape, places, numbers)
        rules.sense(sensed, agents, places, numbers)
    if shape[LIFE]:
        rules.notice(agents, own, numbers)
    rules.turn(chunk, own, key, species, places, numbers)
    if shape[JOINS]:
        rules.join(chunk, trail, own, shape, places, numbers)
    if shape[LIFE]:
        rules.waver(agents, own, places, numbers)
    if shape[LIFE] or shape[RESPONSES]:
        rules.look_ahead(agents, places, numbers)
