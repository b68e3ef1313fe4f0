// Loops one second of a recording three times at 70 %, and prints the player's events: looper [FILE [OUTPUT]]
//
// The declarations are those of woodshed.h. The assertions compare their sizes with docs/c-layout.txt at compile time.

// The library reads and writes fields that this program does not.
#![allow(dead_code)]

use std::ffi::{c_char, c_void, CStr, CString};
use std::mem::{size_of, zeroed};
use std::ptr::{null, null_mut};

/// woodshed_engine_options
#[repr(C)]
struct EngineOptions {
    size: u32,
    sample_rate: i32,
    channels: i32,
    period_frames: i32,
    periods: i32,
    priority: i32,
    clock: i32,
    on_loss: i32,
    samples: i32,
    ends_with_players: i32,
    exclusive: i32,
}

/// woodshed_section
#[repr(C)]
struct Section {
    size: u32,
    passes: i32,
    start: i64,
    end: i64,
    speed: f64,
    speed_to: f64,
    speed_step: f64,
    name: *const c_char,
    id: i32,
    reserved: i32,
}

/// woodshed_plan
#[repr(C)]
struct Plan {
    size: u32,
    passes: i32,
    sections: *const Section,
    section_count: usize,
    speed: f64,
    speed_to: f64,
    speed_step: f64,
    semitones: f64,
    gap_frames: i64,
    gap_passes: f64,
    joint: i32,
    material: i32,
    light: i32,
    varispeed: i32,
    reversed: i32,
    repeats: i32,
    formants: i32,
    reserved: i32,
}

/// woodshed_place
#[repr(C)]
#[derive(Clone, Copy)]
struct Place {
    clip_frame: i64,
    section: i32,
    pass: i32,
    passes: i32,
    reserved: i32,
    speed: f64,
    semitones: f64,
}

/// woodshed_event_data, with the only member that this program reads
#[repr(C)]
union EventData {
    place: Place,
    reserved: [i64; 20],
}

/// woodshed_event
#[repr(C)]
struct Event {
    size: u32,
    kind: i32,
    frame: i64,
    player: *mut c_void,
    events_lost: i64,
    data: EventData,
}

const _: () = assert!(size_of::<EngineOptions>() == 44);
const _: () = assert!(size_of::<Section>() == 64);
const _: () = assert!(size_of::<Plan>() == 104);
const _: () = assert!(size_of::<Place>() == 40);
const _: () = assert!(size_of::<EventData>() == 160);
const _: () = assert!(size_of::<Event>() == 192);

const WOODSHED_NOW: i64 = -1;
const WOODSHED_EVENT_FINISHED: i32 = 16;

#[link(name = "woodshed")]
extern "C" {
    fn woodshed_engine_open(output: *const c_char, options: *const EngineOptions, engine: *mut *mut c_void) -> i32;
    fn woodshed_engine_start(engine: *mut c_void) -> i32;
    fn woodshed_engine_wait(engine: *mut c_void) -> i32;
    fn woodshed_engine_close(engine: *mut c_void) -> i32;
    fn woodshed_clip_open(engine: *mut c_void, path: *const c_char, clip: *mut *mut c_void) -> i32;
    fn woodshed_clip_close(clip: *mut c_void) -> i32;
    fn woodshed_player_open(engine: *mut c_void, clip: *mut c_void, plan: *const Plan, player: *mut *mut c_void) -> i32;
    fn woodshed_player_start(player: *mut c_void, at: i64) -> i32;
    fn woodshed_listener_open(engine: *mut c_void, capacity: i32, listener: *mut *mut c_void) -> i32;
    fn woodshed_listener_next(listener: *mut c_void, seconds: f64, event: *mut *const Event) -> i32;
    fn woodshed_listener_close(listener: *mut c_void) -> i32;
    fn woodshed_error_message() -> *const c_char;
    fn woodshed_error_remedy() -> *const c_char;
}

/// Ends the program with the error's words, and with the status as the exit status.
fn check(status: i32) {
    if status == 0 {
        return;
    }
    // The texts are valid until this thread's next failing call.
    let message = unsafe { CStr::from_ptr(woodshed_error_message()) };
    let remedy = unsafe { CStr::from_ptr(woodshed_error_remedy()) };
    eprintln!("{}\n{}", message.to_string_lossy(), remedy.to_string_lossy());
    std::process::exit(status);
}

/// Returns an argument of the program as a text for C.
fn argument(number: usize, default: &str) -> CString {
    let text = std::env::args().nth(number).unwrap_or_else(|| default.to_string());
    CString::new(text).expect("an argument has no zero byte")
}

fn main() {
    let (file, output) = (argument(1, "song.wav"), argument(2, "default"));

    // Fields of 0 mean the default, so a struct of zeros with its size is a valid struct.
    let options = EngineOptions {
        size: size_of::<EngineOptions>() as u32,
        sample_rate: 44100,
        ends_with_players: 1,
        ..unsafe { zeroed() }
    };
    // The second second of the recording, in frames.
    let section = Section {
        size: size_of::<Section>() as u32,
        passes: 3,
        start: 44100,
        end: 88200,
        speed: 0.7,
        ..unsafe { zeroed() }
    };
    let plan = Plan {
        size: size_of::<Plan>() as u32,
        sections: &section,
        section_count: 1,
        ..unsafe { zeroed() }
    };

    let (mut engine, mut clip, mut player, mut listener) = (null_mut(), null_mut(), null_mut(), null_mut());
    unsafe {
        check(woodshed_engine_open(output.as_ptr(), &options, &mut engine));
        check(woodshed_clip_open(engine, file.as_ptr(), &mut clip));
        check(woodshed_listener_open(engine, 0, &mut listener));
        check(woodshed_player_open(engine, clip, &plan, &mut player));
        check(woodshed_player_start(player, WOODSHED_NOW));
        check(woodshed_engine_start(engine));

        loop {
            // The event is valid until the next call for this listener.
            let mut next: *const Event = null();
            check(woodshed_listener_next(listener, -1.0, &mut next));
            let event = &*next;
            // Only the events of a player have a place. Others, such as a lost device, have other data.
            if event.player.is_null() {
                println!("frame {}: event {}", event.frame, event.kind);
            } else {
                println!("frame {}: event {}, pass {}", event.frame, event.kind, event.data.place.pass);
            }
            if event.kind == WOODSHED_EVENT_FINISHED {
                break;
            }
        }

        check(woodshed_engine_wait(engine));
        check(woodshed_listener_close(listener));
        check(woodshed_clip_close(clip));
        check(woodshed_engine_close(engine));
    }
}
