// Prints a line every 100 ms while this host leads. Speaks to electd itself: electd-varlink(7).
use std::io::{ErrorKind, Read, Result, Write};
use std::os::raw::{c_int, c_long};
use std::os::unix::{fs::MetadataExt, net::UnixStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};
use std::{process::exit, thread::sleep};

static STOP: AtomicBool = AtomicBool::new(false);

extern "C" fn on_signal(_: c_int) {
    STOP.store(true, SeqCst);
}

// Rust's own library has neither the boot clock nor signals.
extern "C" {
    fn clock_gettime(clock: c_int, time: *mut [c_long; 2]) -> c_int;
    fn signal(number: c_int, handler: extern "C" fn(c_int)) -> usize;
}

fn boot_ms() -> i64 {
    let mut time = [0; 2];
    unsafe { clock_gettime(7, &mut time) }; // CLOCK_BOOTTIME
    time[0] as i64 * 1000 + time[1] as i64 / 1_000_000
}

/// The value of a key of an object, as in the text: electd's JSON has no blanks. "": there is none.
fn get<'a>(object: &'a str, key: &str) -> &'a str {
    let (mut depth, mut quoted, mut begin, mut escaped, mut found) = (0, false, 1, false, false);
    for (at, byte) in object.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => (),
            b'{' | b'[' => depth += 1,
            b':' if depth == 1 => {
                found = object[begin..at].trim_matches('"') == key;
                begin = at + 1;
            }
            b',' | b'}' if depth == 1 => {
                if found {
                    return object[begin..at].trim_matches('"');
                }
                begin = at + 1;
            }
            b'}' | b']' => depth -= 1,
            _ => (),
        }
    }
    ""
}

fn ask(method: &str, more: bool, parameters: &str) -> Result<UnixStream> {
    let mut electd = UnixStream::connect("/run/electd/io.electd")?;
    let call = format!(
        r#"{{"method":"io.electd.{}","more":{},"parameters":{}}}"#,
        method, more, parameters
    );
    electd.write_all((call + "\0").as_bytes())?;
    Ok(electd)
}

/// The work has ended. A frozen electd reads the call later; one with too many clients refuses it.
fn release(holder: &str, seq: &str) {
    let parameters = format!(r#"{{"holder":"{}","seq":{}}}"#, holder, seq);
    for _ in 0..100 {
        if let Ok(mut electd) = ask("Release", false, &parameters) {
            let mut answer = [0; 4096];
            let _ = electd.set_read_timeout(Some(Duration::from_secs(1)));
            let n = electd.read(&mut answer).unwrap_or(0);
            if !String::from_utf8_lossy(&answer[..n]).contains("TooManyClients") {
                return;
            }
        }
        sleep(Duration::from_millis(10));
    }
}

/// Follows one electd until its connection ends.
fn follow(clock: u64, host: &str) -> Result<()> {
    let mut electd = ask("Subscribe", true, r#"{"hold":true,"name":"report"}"#)?;
    let (mut holder, mut token, mut until) = (String::new(), String::new(), 0);
    let (mut leads, mut over) = (false, false); // over: electd asked for the release of this token
    let (mut rest, mut piece) = (Vec::new(), [0; 65536]);
    let mut next = Instant::now();
    loop {
        // What waits is read before each act.
        let wait = next.saturating_duration_since(Instant::now());
        electd.set_read_timeout(Some(wait.max(Duration::from_millis(1))))?;
        match electd.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(n) => rest.extend_from_slice(&piece[..n]),
            Err(_) if STOP.load(SeqCst) => {
                release(&holder, "0");
                exit(0)
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) if e.kind() != ErrorKind::WouldBlock => return Err(e),
            Err(_) => {
                let now = boot_ms();
                if leads && !over && now < until {
                    println!("{} {} {}.{:03}", host, token, now / 1000, now % 1000);
                }
                next = Instant::now() + Duration::from_millis(100);
            }
        }
        while let Some(end) = rest.iter().position(|byte| *byte == 0) {
            let reply: Vec<u8> = rest.drain(..=end).collect();
            let reply = String::from_utf8_lossy(&reply[..end]);
            let event = get(&reply, "parameters");
            let status = get(event, "status");
            if !get(&reply, "error").is_empty() {
                eprintln!("report: {}", get(&reply, "error"));
                exit(1);
            }
            if !get(event, "holder").is_empty() {
                holder = get(event, "holder").to_string();
            }
            until = get(event, "until_boot_ms").parse().unwrap_or(0); // null: does not lead
            if get(event, "time_namespace").parse() != Ok(clock) {
                until = 0; // electd's times mean nothing here
            }
            if !status.is_empty() {
                let leader = get(status, "role") == "leader";
                over = over && leader && get(event, "token") == token;
                let sure = get(status, "asking") == "false" && get(status, "yielding") == "null";
                let may = leader && sure;
                if may && !leads {
                    next = Instant::now();
                }
                leads = may;
                token = get(event, "token").to_string();
            }
            let asked = get(event, "release");
            if !matches!(asked, "" | "0") && get(event, "event") != "release-over" {
                over = true; // no work runs between two lines
                release(&holder, asked);
            }
        }
    }
}

fn main() {
    let clock = std::fs::metadata("/proc/self/ns/time").map_or(0, |file| file.ino());
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    for number in [2, 15] {
        unsafe { signal(number, on_signal) }; // INT and TERM
    }
    while !STOP.load(SeqCst) {
        let _ = follow(clock, host.trim()); // electd does not run, or has ended
        sleep(Duration::from_millis(200));
    }
}
