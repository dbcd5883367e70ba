"""How things lie in the GPU's memory: what the kernels and those who launch them agree on, without Triton."""

# What a step reads besides `contract.SLOTS`: its number, its key (`contract.step_key`), the seed's two words,
# and which half of their memory agents are in: an order moves them from one to the other.
CLOCK = "number", "key", "seed_low", "seed_high", "half"

# Agents are put in order by tiles, which are numbered down and then along bands of some rows of tiles: so
# agents that follow one another fill a square, on fields of any size.
TILE_BITS = 4  # a tile has 16 x 16 cells; 8 and 32 came out alike
BAND_BITS = 2  # a band has 4 rows of tiles
TILE, BAND = 1 << TILE_BITS, 1 << BAND_BITS

# Threads of a program, and so the agents that it has at a time.
AGENT_THREADS = 512  # of `gpu_agents.update_agents`: a window in shared memory is laid out for them
ORDER_THREADS = 256  # of `gpu_order.put_in_order`: one for each tile of its window

# Steps from one order to the next: an order costs two thirds of a step on an H200, where spread-out agents
# lose as much in some 16 steps. Agents that move farther than DRIFT px in that time get their order sooner.
ORDER_EVERY, ORDER_LEAST = 16, 4
DRIFT = 32
