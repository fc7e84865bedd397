"""A slow referee in plain Python, made from the rules alone, to hold the compiled engine against.

Nothing in here imports `palace_sim`: what the two agree on, they found out separately.
"""
