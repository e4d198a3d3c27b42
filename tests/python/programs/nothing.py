"""Launches no kernel."""
