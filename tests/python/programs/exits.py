"""Refuses its arguments, as argparse does."""
import sys

sys.exit(2)
