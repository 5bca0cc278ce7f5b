// placeholder until the floor lands
