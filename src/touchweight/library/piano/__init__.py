"""The grand piano action: described, regulated, played, measured; for any of the 88 keys."""
