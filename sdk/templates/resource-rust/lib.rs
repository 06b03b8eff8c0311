//! A complete resource plugin in Rust, without Cargo and crates: a note written in the
//! configuration becomes a file.

mod contract;
mod json;

use contract::*;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, UnwindSafe};

struct Failure {
    status: quarry_status,
    message: &'static str,
    hint: &'static str,
    details: &'static str,
}

const NOT_ACCEPTED: Failure = Failure {
    status: QUARRY_RESOURCE_EXHAUSTED,
    message: "the note was not accepted",
    hint: "",
    details: "",
};
const EMPTY: Failure = Failure {
    status: QUARRY_INVALID_ARGUMENT,
    message: "text is empty",
    hint: "write the note",
    details: r#"{"fields": [{"field": "/text", "message": "is empty"}]}"#,
};
const PANIC: Failure = Failure {
    status: QUARRY_INTERNAL,
    message: "the plugin panicked",
    hint: "report this to its author",
    details: "",
};

/// Replies once with what `body` returns. A panic becomes a failure: none may cross the boundary.
unsafe fn reply_with<Body>(reply: *const quarry_reply, body: Body)
where
    Body: FnOnce() -> Result<String, Failure> + UnwindSafe,
{
    match catch_unwind(body).unwrap_or(Err(PANIC)) {
        Ok(json) => ((*reply).value)(reply, quarry_text::of(&json)),
        Err(failure) => {
            let said = quarry_failure {
                struct_size: std::mem::size_of::<quarry_failure>() as u32,
                status: failure.status,
                message: quarry_text::of(failure.message),
                hint: quarry_text::of(failure.hint),
                details: quarry_text::of(failure.details),
            };
            ((*reply).failure)(reply, &said);
        }
    }
}

/// Panics are reported by failures; the standard library's message on standard error, which belongs
/// to the host, is switched off. The hook is the plugin's own, as its standard library is.
unsafe extern "C" fn open(_: *const quarry_host, _: *const quarry_call, reply: *const quarry_reply) {
    reply_with(reply, || {
        std::panic::set_hook(Box::new(|_| {}));
        Ok("{}".to_string())
    });
}

unsafe extern "C" fn create(
    _: *const quarry_host,
    _: *const quarry_call,
    _: quarry_text,
    instance: *mut *mut c_void,
    reply: *const quarry_reply,
) {
    *instance = std::ptr::null_mut();
    reply_with(reply, || Ok("{}".to_string()));
}

unsafe extern "C" fn destroy(_: *mut c_void) {}

unsafe extern "C" fn describe(
    _: *mut c_void,
    _: *const quarry_call,
    reply: *const quarry_reply,
) {
    let schema = include_str!("schema.json");
    reply_with(reply, || {
        Ok(format!(r#"{{"title": "@Name@", "examples": [], "schema": {}}}"#, schema.trim_end()))
    });
}

unsafe extern "C" fn normalise(
    _: *mut c_void,
    _: *const quarry_call,
    resource: quarry_text,
    reply: *const quarry_reply,
) {
    reply_with(reply, || {
        let resource = resource.bytes();
        match json::text_member(resource, "text") {
            Some(note) if !note.is_empty() => Ok(String::from_utf8_lossy(resource).into_owned()),
            _ => Err(EMPTY),
        }
    });
}

/// The note is part of the resource, so one resource has one version.
unsafe extern "C" fn resolve(
    _: *mut c_void,
    _: *const quarry_call,
    _: quarry_text,
    _: quarry_text,
    reply: *const quarry_reply,
) {
    let version = r#"{"id": "1", "immutable": true, "display": "as configured"}"#;
    reply_with(reply, || Ok(version.to_string()));
}

unsafe extern "C" fn fetch(
    _: *mut c_void,
    _: *const quarry_call,
    resource: quarry_text,
    _: quarry_text,
    _: quarry_text,
    tree: *const quarry_tree,
    reply: *const quarry_reply,
) {
    reply_with(reply, || {
        let note = json::text_member(resource.bytes(), "text").ok_or(EMPTY)?;
        let added = ((*tree).add_file)(tree, quarry_text::of("note.md"), quarry_text::of(&note));
        if added == QUARRY_OK { Ok("{}".to_string()) } else { Err(NOT_ACCEPTED) }
    });
}

static TYPE: quarry_resource_v1 = quarry_resource_v1 {
    struct_size: std::mem::size_of::<quarry_resource_v1>() as u32,
    describe,
    normalise,
    resolve,
    fetch,
    parse_reference: None,
};

static COMPONENT: quarry_component = quarry_component {
    struct_size: std::mem::size_of::<quarry_component>() as u32,
    flags: 0,
    kind: "quarry.resource/1\0".as_ptr() as *const c_char,
    name: "@name@\0".as_ptr() as *const c_char,
    table: &TYPE,
    create,
    destroy,
};

struct Components([*const quarry_component; 1]);
unsafe impl Sync for Components {}
static COMPONENTS: Components = Components([&COMPONENT]);

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static quarry_plugin_entry_v1: quarry_entry = quarry_entry {
    struct_size: std::mem::size_of::<quarry_entry>() as u32,
    abi_major: QUARRY_ABI_MAJOR,
    abi_minor: QUARRY_ABI_MINOR,
    minimum_host_minor: 0,
    id: "@id@\0".as_ptr() as *const c_char,
    version: "1.0.0\0".as_ptr() as *const c_char,
    open: Some(open),
    close: None,
    component_count: 1,
    components: COMPONENTS.0.as_ptr(),
};

#[cfg(for_tests)]
mod for_tests;
