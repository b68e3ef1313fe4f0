"""Recorders' losses by a sleep, and figures of the machine after the sleep: the figures distinguish a late writer, a
late capture thread, and a card that runs ahead of the clock."""
import json

import sounds

# The guest's part. Recording a moment starts no program.
#
# counts FILE WORD: lines of a kernel file that begin with a word.
# moment NAME PID...: the kernel's counts for the processor, the cable, and the threads of programs; at `awake` their
# longest waits begin anew.
GUEST = r"""
echo 1 2>/dev/null >/proc/sys/kernel/sched_schedstats

counts() {
    local lines line
    mapfile -t lines <"$1"
    for line in "${lines[@]}"; do [[ $line != $2* ]] || echo "$3 ${line:0:160}"; done
}
moment() {
    local moment=$1 number pid task name ran waited rest
    shift
    echo "moment $moment ${EPOCHREALTIME/[.,]/}"
    counts /proc/stat "cpu " processor
    counts /proc/stat "intr " interrupts
    for number in 0 1 2 3 4; do
        counts /proc/asound/Loopback/pcm0p/sub$number/status trigger_time "cable $number"
        counts /proc/asound/Loopback/pcm0p/sub$number/status hw_ptr "cable $number"
    done
    for pid in "$@"; do
        for task in /proc/$pid/task/*; do
            read -r name <$task/comm || continue
            read -r ran waited rest <$task/schedstat || continue
            echo "thread $pid/${task##*/} $name $ran $waited"
            if [ $moment = awake ]; then echo 0 >$task/sched; else counts $task/sched wait_max "longest $pid/${task##*/} $name"; fi
        done
    done 2>/dev/null
}
"""


def holes(path, rate):
    """Returns the seconds of sound that a take lacks in each of its holes: holes without a sleep, and holes with a
    sleep."""
    found, place, before, behind, beyond, asleep = list(sounds.pieces(sounds.read(path)[3])), 0, None, 0, [], []
    events = told(path)
    start = next((event["input_frame"] for event in events if event["event"] == "recording.started"), 0)
    suspended = [event for event in events if event["event"] == "device.suspended"]
    sleeps = [(event["input_frame"] - start, event["input_frame"] - start + event["lost_frames"]) for event in suspended]
    for first, count in found:
        if first:
            if before is not None and first > before + 1:
                is_sleep = any(behind <= end and begin <= place for begin, end in sleeps)
                (asleep if is_sleep else beyond).append((first - before - 1) / rate)
            before, behind = first + count - 1, place + count
        place += count
    return beyond, asleep


def told(path):
    """Returns the events that a recorder has reported about a take; none for arecord."""
    out = path.with_suffix(".out")
    return [json.loads(line) for line in out.read_text().splitlines() if line.startswith("{")] if out.exists() else []


def parsed(text):
    """Returns the output of `moment`, by the moment: its time in seconds, and lists of words by their first word."""
    result = {}
    for words in (line.split() for line in text.splitlines()):
        if words[:1] == ["moment"]:
            name = words[1]
            result[name] = {"time": int(words[2]) / 1e6}
        elif words:
            result[name].setdefault(words[0], []).append(words[1:])
    return result


def machine(text, rate):
    """Describes the processor, the cable and the threads between the moments `awake` and `end`."""
    first, last = (parsed(text)[name] for name in ("awake", "end"))
    seconds = last["time"] - first["time"]
    spent = [int(after) - int(before) for before, after in zip(first["processor"][0][1:9], last["processor"][0][1:9])]
    share = 100 / max(1, sum(spent))
    interrupts = (int(last["interrupts"][0][1]) - int(first["interrupts"][0][1])) / seconds
    # A cable restarted meanwhile counts from 0 again.
    earlier, later = ({(number, key.strip(":")): value for number, key, *_, value in figures.get("cable", [])} for figures in (first, last))
    paces = [
        (int(later[number, key]) - int(value)) / seconds / rate
        for (number, key), value in earlier.items()
        if key == "hw_ptr" and (number, key) in later and earlier[number, "trigger_time"] == later[number, "trigger_time"]
    ]
    pace = f"moved {min(paces):.2f} to {max(paces):.2f} of the clock's frames" if paces else "was started anew"
    ran, waited, longest = {}, {}, {}
    before = {words[0]: words for words in first.get("thread", [])}
    for task, name, *times in last.get("thread", []):
        spent_ran, spent_waited = (int(time) - int(then) for time, then in zip(times[-2:], before.get(task, [0, 0])[-2:]))
        ran[name] = ran.get(name, 0) + spent_ran / 1e9
        waited[name] = max(waited.get(name, 0), spent_waited / 1e9)
    for _, name, *_, milliseconds in last.get("longest", []):
        longest[name] = max(longest.get(name, 0), float(milliseconds))
    threads = [
        f"{name} ran {100 * ran[name] / seconds:.0f} %, waited {1000 * waited[name]:.0f} ms"
        + (f" ({longest[name]:.0f} ms at once)" if name in longest else "")
        for name in sorted(ran)
        if name.startswith("woodshed")
    ]
    return (
        f"in {seconds:.1f} s after the wake: processor {100 - share * (spent[3] + spent[4]):.0f} % busy, {share * (spent[5] + spent[6]):.0f} % for "
        f"{interrupts:.0f} interrupts a second; the cable {pace}; threads, with the longest wait of one for the processor: {'; '.join(threads)}"
    )
