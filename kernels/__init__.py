"""The model: parameters, world, the readable reference, and the backends that match it bit for bit."""
