"""Ends with an error of its own."""
raise ValueError("as it should")
