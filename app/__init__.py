"""The instrument: window, panel, pictures and commands."""
