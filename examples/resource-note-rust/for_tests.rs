//! Functions that the test calls besides the entry.
use super::contract::*;
use std::mem::{size_of, MaybeUninit};
use std::ptr::addr_of;

#[no_mangle]
pub unsafe extern "C" fn for_tests_panic(reply: *const quarry_reply) {
    super::reply_with(reply, || panic!("as the test wants"));
}

macro_rules! offset {
    ($type:ty, $field:ident) => {{
        let one = MaybeUninit::<$type>::uninit();
        let base = one.as_ptr();
        unsafe { (addr_of!((*base).$field) as usize) - (base as usize) }
    }};
}

/// The offsets of the fields and the size, in the order of layout.c.
macro_rules! layout {
    ($out:ident, $type:ty, $($field:ident),+) => {
        $($out.push(offset!($type, $field));)+
        $out.push(size_of::<$type>());
    };
}

fn numbers() -> Vec<usize> {
    let mut out = Vec::new();
    layout!(out, quarry_text, data, size);
    layout!(out, quarry_failure, struct_size, status, message, hint, details);
    layout!(out, quarry_reply, struct_size, context, value, failure);
    out.extend([
        offset!(quarry_tree, struct_size),
        offset!(quarry_tree, context),
        offset!(quarry_tree, add_file),
    ]);
    layout!(
        out,
        quarry_resource_v1,
        struct_size,
        describe,
        normalise,
        resolve,
        fetch,
        parse_reference
    );
    layout!(out, quarry_component, struct_size, flags, kind, name, table, create, destroy);
    layout!(
        out,
        quarry_entry,
        struct_size,
        abi_major,
        abi_minor,
        minimum_host_minor,
        id,
        version,
        open,
        close,
        component_count,
        components
    );
    out.extend([QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR].map(|number| number as usize));
    out.extend(
        [QUARRY_OK, QUARRY_INVALID_ARGUMENT, QUARRY_RESOURCE_EXHAUSTED, QUARRY_INTERNAL]
            .map(|number| number as usize),
    );
    out
}

/// Writes at most `most` numbers, and returns how many there are.
#[no_mangle]
pub unsafe extern "C" fn for_tests_layout(out: *mut usize, most: usize) -> usize {
    let numbers = numbers();
    for (i, number) in numbers.iter().take(most).enumerate() {
        *out.add(i) = *number;
    }
    numbers.len()
}
