"""``tablekeeper demo``: rounds on simulated hardware, shown as they are played.

``dealer`` plays the dealer's and the players' part from what the table shows, ``chance`` is all
that the seed decides, ``show`` is what a person sees, ``run`` puts them together.
"""
