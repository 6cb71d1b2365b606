// sort.rs - the library from Rust, by declarations written by hand: the four calls that are used, and a
// handle that is closed when it is dropped. Slices know their length, so nothing else is unsafe.
//
//     rustc sort.rs -L native=/usr/local/lib -l upsweep -o sort_rs
//
// Prints:
//     [1.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 9.0]
//     sum 31
//     refused: no sort is called 'sort/none'; 'upsweep list' shows all
// SPDX-License-Identifier: MIT
use std::ffi::{c_char, c_int, c_uint, c_void, CStr, CString};
use std::ptr::{null, null_mut};

#[repr(C)]
struct Options {
    size: usize,
    algorithm: *const c_char,
    flags: c_uint,
    bit_begin: c_uint,
    bit_end: c_uint,
}

extern "C" {
    fn upsweep_open(u: *mut *mut c_void, device: *const c_char, config: *const c_void) -> c_int;
    fn upsweep_close(u: *mut c_void);
    fn upsweep_error(u: *const c_void) -> *const c_char;
    fn upsweep_sort(u: *mut c_void, keys: *mut c_void, n: usize, t: c_int, o: *const Options) -> c_int;
    fn upsweep_reduce(
        u: *mut c_void, data: *const c_void, n: usize, t: c_int, op: c_int, result: *mut c_void,
        o: *const Options,
    ) -> c_int;
}
const F32: c_int = 11; // enum upsweep_type
const SUM: c_int = 0x101; // enum upsweep_op

struct Handle(*mut c_void);

impl Handle {
    fn open() -> Option<Handle> {
        let mut u = null_mut();
        let device = CString::new("cpu").unwrap();
        let status = unsafe { upsweep_open(&mut u, device.as_ptr(), null()) };
        (status == 0).then_some(Handle(u))
    }
    fn check(&self, status: c_int) -> Result<(), String> {
        match status {
            0 => Ok(()),
            _ => Err(unsafe { CStr::from_ptr(upsweep_error(self.0)) }.to_string_lossy().into()),
        }
    }
    fn sort(&mut self, keys: &mut [f32], algorithm: Option<&str>) -> Result<(), String> {
        let name = algorithm.map(|a| CString::new(a).unwrap());
        let algorithm = name.as_ref().map_or(null(), |n| n.as_ptr());
        let size = std::mem::size_of::<Options>();
        let o = Options { size, algorithm, flags: 0, bit_begin: 0, bit_end: 0 };
        self.check(unsafe { upsweep_sort(self.0, keys.as_mut_ptr().cast(), keys.len(), F32, &o) })
    }
    fn sum(&mut self, data: &[f32]) -> Result<f64, String> {
        let mut sum = 0f64; // sums of floats are doubles
        let result: *mut f64 = &mut sum;
        let (from, n) = (data.as_ptr().cast(), data.len());
        self.check(unsafe { upsweep_reduce(self.0, from, n, F32, SUM, result.cast(), null()) })?;
        Ok(sum)
    }
}
impl Drop for Handle {
    fn drop(&mut self) {
        unsafe { upsweep_close(self.0) }
    }
}

fn main() -> Result<(), String> {
    let mut u = Handle::open().ok_or("no handle")?;
    let mut keys = [3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0];
    u.sort(&mut keys, None)?;
    println!("{:?}\nsum {}", keys, u.sum(&keys)?);
    println!("refused: {}", u.sort(&mut keys, Some("sort/none")).unwrap_err());
    Ok(())
}
