"""Servers of the tests."""
