"""JSON in and out: its fields, their bounds, and how rows become them."""
