// Loops one second of a recording three times at 70 %: looper FILE [OUTPUT]
use std::{ffi::{c_char, c_void, CStr, CString}, ptr::null_mut};
#[repr(C)]
struct Options { size: u32, sample_rate: i32, others: [i32; 7], ends_with_players: i32, exclusive: i32 }
#[repr(C)]
struct Section { size: u32, passes: i32, start: i64, end: i64, speed: f64, speed_to: f64, speed_step: f64, name: *const c_char }
#[repr(C)]
struct Plan { size: u32, passes: i32, sections: *const Section, count: usize, numbers: [f64; 6], choices: [i32; 6] }

#[link(name = "woodshed")]
extern "C" {
    fn woodshed_engine_open(output: *const c_char, options: *const Options, engine: *mut *mut c_void) -> i32;
    fn woodshed_clip_open(engine: *mut c_void, path: *const c_char, clip: *mut *mut c_void) -> i32;
    fn woodshed_player_open(engine: *mut c_void, clip: *mut c_void, plan: *const Plan, player: *mut *mut c_void) -> i32;
    fn woodshed_player_start(player: *mut c_void, at: i64) -> i32;
    fn woodshed_engine_start(engine: *mut c_void) -> i32;
    fn woodshed_engine_wait(engine: *mut c_void) -> i32;
    fn woodshed_error_message() -> *const c_char;
}
fn main() {
    let argument = |place, usual: &str| CString::new(std::env::args().nth(place).unwrap_or(usual.into())).unwrap();
    let check = |status| if status != 0 { panic!("{}", unsafe { CStr::from_ptr(woodshed_error_message()) }.to_string_lossy()) };
    let options = Options { size: 44, sample_rate: 44100, others: [0; 7], ends_with_players: 1, exclusive: 0 };
    let section = Section { size: 56, passes: 3, start: 44100, end: 88200, speed: 0.7, speed_to: 0.0, speed_step: 0.0, name: null_mut() };
    let plan = Plan { size: 96, passes: 0, sections: &section, count: 1, numbers: [0.0; 6], choices: [0; 6] };
    let (mut engine, mut clip, mut player) = (null_mut(), null_mut(), null_mut());
    unsafe {
        check(woodshed_engine_open(argument(2, "default").as_ptr(), &options, &mut engine));
        check(woodshed_clip_open(engine, argument(1, "song.wav").as_ptr(), &mut clip));
        check(woodshed_player_open(engine, clip, &plan, &mut player));
        check(woodshed_player_start(player, -1));
        check(woodshed_engine_start(engine));
        check(woodshed_engine_wait(engine));
    }
}
