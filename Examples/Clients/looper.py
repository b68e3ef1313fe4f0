# Loops one second of a recording three times at 70 %, and prints the player's events: looper.py FILE [OUTPUT]
import sys

import woodshed

path, output = (sys.argv[1:] + ["song.wav", "default"][len(sys.argv) - 1 :])[:2]
with woodshed.Engine(output, sample_rate=44100, ends_with_players=True) as engine, engine.listen() as events:
    clip = engine.clip(path)
    player = engine.player(clip, sections=[woodshed.Section(44100, 88200, passes=3, speed=0.7)])
    player.start()
    engine.start()
    for event in events:
        print(f"frame {event['frame']}: {event['kind']}, pass {event.get('pass')}")
        if event["kind"] == "finished":
            break
    engine.wait()
