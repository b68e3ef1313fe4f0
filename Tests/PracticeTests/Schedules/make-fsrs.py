#!/usr/bin/env python3
"""Makes fsrs-6.csv, which the tests of the schedule are compared with: pip install fsrs==6.3.2, then
make-fsrs.py >fsrs-6.csv

Each line is a review: the number of its sequence, the whole days since the review before it, the rating (1 to 4), and
what py-fsrs makes of it with its default parameters, without steps of minutes and without scatter: stability,
difficulty and days until it is due.
"""
import random
from datetime import datetime, timedelta, timezone

from fsrs import Card, Rating, Scheduler

scheduler = Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
chance = random.Random(6)
print("sequence,days,rating,stability,difficulty,interval")
for sequence in range(400):
    card, time = Card(), datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
    for index in range(chance.randint(1, 12)):
        # Some sequences are kept to, some are early or late, some have several reviews in a day.
        kind = sequence % 4
        due = (card.due - time).days if index else 0
        days = 0 if index == 0 else [
            due, chance.randint(0, 3), max(0, int(due * chance.uniform(0.2, 5))), chance.choice([0, 0, due, 400])][kind]
        time += timedelta(days=days)
        rating = Rating(chance.choices([1, 2, 3, 4], [2, 2, 5, 2])[0])
        card, _ = scheduler.review_card(card, rating, time)
        print(f"{sequence},{days},{rating.value},{card.stability!r},{card.difficulty!r},{(card.due - time).days}")
