"""Which tasks follow a saved message. One receiver, no logic: the tasks say whether."""
