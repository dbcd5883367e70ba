"""The presets there are: those shipped with Physarium, and a person's own in a folder."""

import importlib.resources

from presets import shelf
from presets.preset import Preset
from presets.reading import parse
from presets.writing import dump

# The order they are shown in, the default first; a shipped file not named here comes after, by name.
ORDER = (
    "veins", "tissue", "arteries", "silk", "highways", "estuary", "petri-dish",
    "loops", "lace", "filigree", "scaffold", "synapses", "beads", "mesh", "threads",
    "plasmodium", "cells", "lacunae", "sponge", "xylem", "craters", "islands", "ladders", "foam",
    "labyrinth", "caterpillars", "circuits", "weave",
    "feathers", "caustics", "surf", "chevrons", "flames",
    "rings", "corona", "spring", "sparks", "fireflies", "colonies", "spores",
    "hive", "rivals", "frontiers", "streams", "leaves", "embryo", "chambers", "storm", "larvae",
    "noodles", "suns", "lanterns", "pebbles", "eyes", "pond",
    "cities",
)  # fmt: skip

Entry = shelf.Entry[Preset]
PRESETS = shelf.Shelf("preset", importlib.resources.files("presets"), ORDER, parse, dump)

shipped, shipped_names = PRESETS.shipped, PRESETS.shipped_names
listing, find, save, delete = PRESETS.listing, PRESETS.find, PRESETS.save, PRESETS.delete
load = PRESETS.load
