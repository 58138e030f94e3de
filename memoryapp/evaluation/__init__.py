"""How well memory does its work, measured through the product's own code."""
