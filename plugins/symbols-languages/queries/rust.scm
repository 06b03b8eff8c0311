; Definitions of Rust.

(line_comment) @leading
(block_comment) @leading
(attribute_item) @leading
(closure_expression) @inside

(mod_item name: (identifier) @name ) @module
(struct_item name: (type_identifier) @name) @struct
(union_item name: (type_identifier) @name) @union
(enum_item name: (type_identifier) @name) @enum
(enum_variant name: (identifier) @name) @enumerator
(trait_item name: (type_identifier) @name) @trait
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (primitive_type) @name
  (reference_type type: (type_identifier) @name)
  (pointer_type type: (type_identifier) @name)
  (reference_type type: (generic_type type: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
]) @implementation
(type_item name: (type_identifier) @name) @type
(associated_type name: (type_identifier) @name) @type
(const_item name: (identifier) @name) @constant
(static_item name: (identifier) @name) @variable
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (identifier) @name) @macro
(field_declaration name: (field_identifier) @name) @field
