# Physarium from a checkout. Options go through ARGS: make run ARGS="veins --size 1920x1080"
.PHONY: run test check generate clean
python := .venv/bin/python

# A window where there is a display; a picture where there is none. (On Linux the window speaks X11,
# natively or through XWayland, and both set DISPLAY.)
run: .venv/installed .venv/graphics
	@if [ -n "$$DISPLAY" ] || [ "$$(uname)" = Darwin ]; then .venv/bin/physarium $(ARGS); else \
	  .venv/bin/physarium render $(ARGS) --out physarium.png && \
	  echo "There is no display here, so the picture went to $(CURDIR)/physarium.png." && \
	  echo "For the window, run the same command on a desktop, or over 'ssh -X'."; fi

test: check .venv/graphics-for-tests
	$(python) -m pytest $(ARGS)

check: .venv/installed-for-tests
	$(python) -m ruff check
	$(python) -m ruff format --check
	$(python) -m mypy

# What is written by programs: README's tables, the digests of the shipped presets, and pictures of them and of looks.
generate: .venv/installed-for-tests
	$(python) tests/test_readme.py
	$(python) -m app.digests
	$(python) -m app.sheet
	$(python) -m app.looks_sheet

clean:
	rm -rf .venv build *.egg-info .hypothesis .pytest_cache .mypy_cache .ruff_cache
	find app kernels presets shaders tests -name __pycache__ -prune -exec rm -rf {} +

$(python):
	@.make/venv

.venv/installed: pyproject.toml | $(python)
	@.make/install && touch $@

.venv/installed-for-tests: pyproject.toml | $(python)
	@.make/install test && touch $@ .venv/installed

.venv/graphics: | .venv/installed
	@.make/graphics && touch $@

.venv/graphics-for-tests: | .venv/installed-for-tests
	@.make/graphics Xvfb=xvfb xauth=xauth && touch $@ .venv/graphics
