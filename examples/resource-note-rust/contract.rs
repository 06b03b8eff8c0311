//! The parts of <quarry/abi.h> and <quarry/resource.h> that the plugin needs, with their names and
//! layouts in C. A test compares every size and offset with those of the headers.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

pub type quarry_status = i32;
pub const QUARRY_OK: quarry_status = 0;
pub const QUARRY_INVALID_ARGUMENT: quarry_status = 1;
pub const QUARRY_RESOURCE_EXHAUSTED: quarry_status = 6;
pub const QUARRY_INTERNAL: quarry_status = 10;

pub const QUARRY_ABI_MAJOR: u32 = 1;
pub const QUARRY_ABI_MINOR: u32 = 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct quarry_text {
    pub data: *const u8,
    pub size: usize,
}

impl quarry_text {
    pub fn of(text: &str) -> quarry_text {
        quarry_text { data: text.as_ptr(), size: text.len() }
    }

    /// The bytes, which the caller lends for the call only.
    ///
    /// # Safety
    /// `data` leads to `size` bytes for as long as the result is used, or is null.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.data.is_null() {
            return &[];
        }
        std::slice::from_raw_parts(self.data, self.size)
    }
}

#[repr(C)]
pub struct quarry_failure {
    pub struct_size: u32,
    pub status: quarry_status,
    pub message: quarry_text,
    pub hint: quarry_text,
    pub details: quarry_text,
}

#[repr(C)]
pub struct quarry_reply {
    pub struct_size: u32,
    pub context: *mut c_void,
    pub value: unsafe extern "C" fn(*const quarry_reply, quarry_text),
    pub failure: unsafe extern "C" fn(*const quarry_reply, *const quarry_failure),
}

/// Used through pointers alone: the note needs nothing of them.
#[repr(C)]
pub struct quarry_call {
    _opaque: [u8; 0],
}
#[repr(C)]
pub struct quarry_host {
    _opaque: [u8; 0],
}

/// The members up to the last that is used; the host made the struct, which may be longer.
#[repr(C)]
pub struct quarry_tree {
    pub struct_size: u32,
    pub context: *mut c_void,
    pub add_file: unsafe extern "C" fn(*const quarry_tree, quarry_text, quarry_text) -> quarry_status,
}

pub type describe_fn = unsafe extern "C" fn(*mut c_void, *const quarry_call, *const quarry_reply);
pub type normalise_fn =
    unsafe extern "C" fn(*mut c_void, *const quarry_call, quarry_text, *const quarry_reply);
pub type resolve_fn = unsafe extern "C" fn(
    *mut c_void,
    *const quarry_call,
    quarry_text,
    quarry_text,
    *const quarry_reply,
);
pub type fetch_fn = unsafe extern "C" fn(
    *mut c_void,
    *const quarry_call,
    quarry_text,
    quarry_text,
    quarry_text,
    *const quarry_tree,
    *const quarry_reply,
);

#[repr(C)]
pub struct quarry_resource_v1 {
    pub struct_size: u32,
    pub describe: describe_fn,
    pub normalise: normalise_fn,
    pub resolve: resolve_fn,
    pub fetch: fetch_fn,
    pub parse_reference: Option<normalise_fn>,
}

#[repr(C)]
pub struct quarry_component {
    pub struct_size: u32,
    pub flags: u32,
    pub kind: *const c_char,
    pub name: *const c_char,
    pub table: *const quarry_resource_v1,
    pub create: unsafe extern "C" fn(
        *const quarry_host,
        *const quarry_call,
        quarry_text,
        *mut *mut c_void,
        *const quarry_reply,
    ),
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

pub type open_fn =
    unsafe extern "C" fn(*const quarry_host, *const quarry_call, *const quarry_reply);

#[repr(C)]
pub struct quarry_entry {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub minimum_host_minor: u32,
    pub id: *const c_char,
    pub version: *const c_char,
    pub open: Option<open_fn>,
    pub close: Option<unsafe extern "C" fn()>,
    pub component_count: u32,
    pub components: *const *const quarry_component,
}

/// The tables are constant, and lead to constants.
unsafe impl Sync for quarry_component {}
unsafe impl Sync for quarry_entry {}
