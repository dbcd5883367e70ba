"""Agents as grains of light on their trails."""

import dataclasses
import itertools

import moderngl
import numpy as np
import pytest

from app.agent_field import AgentField
from app.backend import Choice
from app.session import Session
from app.stage import Stage
from app.view import View
from kernels.params import Params
from kernels.world import World
from presets import Preset

ONE = World(96, 64, 300, "grains")
THREE = World(97, 63, 300, "grains", (2.0, 1.0, 1.0))
# Empty ground is black, one agent and more are white; trails are far too faint to be seen.
ALONE = Params(sparkle=4.0, exposure=0.001, palette="#000000 0, #ffffff 0.3, #ffffff 1")
ALONE = dataclasses.replace(ALONE, **{f"palette_{k}": ALONE.palette for k in (2, 3, 4)})


def staged(gl: moderngl.Context, world: World) -> tuple[Stage, Session]:
    stage, session = (
        Stage(gl, Choice("reference", False, "", ""), world),
        Session(Preset("", "", params=ALONE), world, "reference"),
    )
    stage.step(session, 9)
    return stage, session


@pytest.mark.parametrize("world", [ONE, THREE], ids=["one species", "three species"])
def test_cells_with_agents_are_lit_and_no_others(gl: moderngl.Context, world: World) -> None:
    stage, session = staged(gl, world)
    there = session.simulation.counts().sum(axis=0) > 0
    assert 0 < there.sum() < there.size / 2
    np.testing.assert_array_equal(stage.display.picture(session.look).min(axis=2) > 128, there)
    stage.release()


def test_seen_large_each_cells_agents_are_one_round_grain(gl: moderngl.Context) -> None:
    stage, session = staged(gl, ONE)
    view = View((96, 64), (16 * 96, 16 * 64))
    lit = stage.display.picture(session.look, view).min(axis=2) > 128
    cells = lit.reshape(64, 16, 96, 16).swapaxes(1, 2)
    there = session.simulation.counts()[0] > 0
    np.testing.assert_array_equal(cells[:, :, 7:9, 7:9].all(axis=(2, 3)), there)
    assert not cells[:, :, 0, 0].any()  # the corners
    assert not cells[~there].any()
    grain = cells[there][0]
    np.testing.assert_array_equal(grain, grain.T)
    stage.release()


def test_seen_small_grains_keep_their_light(gl: moderngl.Context) -> None:
    stage, session = staged(gl, ONE)
    view = View((96, 64), (24, 16))
    session.change(palette="bone", sparkle=1.0)
    light = stage.display.picture(session.look, view, bits=32)[..., 0]
    blocks = session.simulation.counts()[0].reshape(16, 4, 24, 4).sum(axis=(1, 3))
    levels = [light[blocks == count] for count in np.unique(blocks)]
    assert len(levels) > 3
    for fewer, more in itertools.pairwise(levels):
        assert fewer.max() < more.min()
    stage.release()


def test_agents_unseen_cost_no_texture(gl: moderngl.Context) -> None:
    stage, session = staged(gl, ONE)
    assert stage.display.agents is not None
    stage.display.agents.release()
    stage.display.agents = None
    session.change(sparkle=0.0)
    stage.step(session, 1)
    assert stage.display.agents is None
    stage.release()


def test_a_field_too_high_for_opengl_is_not_tried(gl: moderngl.Context) -> None:
    limit = gl.info["GL_MAX_TEXTURE_SIZE"]
    assert AgentField.possible(gl, World(16, limit // 4, 9, "", (1.0, 1.0, 1.0, 1.0)))
    assert not AgentField.possible(gl, World(16, limit // 4 + 1, 9, "", (1.0, 1.0, 1.0, 1.0)))
