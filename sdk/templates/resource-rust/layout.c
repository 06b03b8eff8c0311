/* The layouts that contract.rs repeats, as C sees them, in the order of for_tests.rs. */
#include <quarry/abi.h>
#include <quarry/resource.h>

#include <stddef.h>

#define AT(type, field) offsetof(struct type, field)

extern const size_t c_layout[];
extern const size_t c_layout_size;

const size_t c_layout[] = {
    AT(quarry_text, data), AT(quarry_text, size), sizeof(quarry_text),
    /**/
    AT(quarry_failure, struct_size), AT(quarry_failure, status), AT(quarry_failure, message),
    AT(quarry_failure, hint), AT(quarry_failure, details), sizeof(quarry_failure),
    /**/
    AT(quarry_reply, struct_size), AT(quarry_reply, context), AT(quarry_reply, value),
    AT(quarry_reply, failure), sizeof(quarry_reply),
    /**/
    AT(quarry_tree, struct_size), AT(quarry_tree, context), AT(quarry_tree, add_file),
    /**/
    AT(quarry_resource_v1, struct_size), AT(quarry_resource_v1, describe),
    AT(quarry_resource_v1, normalise), AT(quarry_resource_v1, resolve),
    AT(quarry_resource_v1, fetch), AT(quarry_resource_v1, parse_reference),
    sizeof(quarry_resource_v1),
    /**/
    AT(quarry_component, struct_size), AT(quarry_component, flags), AT(quarry_component, kind),
    AT(quarry_component, name), AT(quarry_component, table), AT(quarry_component, create),
    AT(quarry_component, destroy), sizeof(quarry_component),
    /**/
    AT(quarry_entry, struct_size), AT(quarry_entry, abi_major), AT(quarry_entry, abi_minor),
    AT(quarry_entry, minimum_host_minor), AT(quarry_entry, id), AT(quarry_entry, version),
    AT(quarry_entry, open), AT(quarry_entry, close), AT(quarry_entry, component_count),
    AT(quarry_entry, components), sizeof(quarry_entry),
    /**/
    QUARRY_ABI_MAJOR, QUARRY_ABI_MINOR,
    /**/
    QUARRY_OK, QUARRY_INVALID_ARGUMENT, QUARRY_RESOURCE_EXHAUSTED, QUARRY_INTERNAL};

const size_t c_layout_size = sizeof c_layout / sizeof c_layout[0];
