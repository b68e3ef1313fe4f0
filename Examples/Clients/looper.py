# Loops one second of a recording three times at 70 %, and prints the player's events: looper.py [FILE [OUTPUT]]
import sys

import woodshed

path = sys.argv[1] if len(sys.argv) > 1 else "song.wav"
output = sys.argv[2] if len(sys.argv) > 2 else "default"

with woodshed.Engine(output, sample_rate=44100, ends_with_players=True) as engine, engine.listen() as events:
    clip = engine.clip(path)
    # The second second of the recording, in frames.
    player = engine.player(clip, sections=[woodshed.Section(44100, 88200, passes=3, speed=0.7)])
    player.start()
    engine.start()
    for event in events:
        # Only the events of a player have a pass.
        print(f"frame {event['frame']}: {event['kind']}, pass {event.get('pass')}")
        if event["kind"] == "finished":
            break
    engine.wait()
