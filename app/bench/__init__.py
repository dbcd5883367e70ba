"""The honest benchmark: `physarium bench`. Start reading in `app.bench.command`."""
