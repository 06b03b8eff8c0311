; Definitions of TypeScript alone.

(abstract_class_declaration name: (type_identifier) @name) @class
(interface_declaration name: (type_identifier) @name) @interface
(type_alias_declaration name: (type_identifier) @name) @type
(enum_declaration name: (identifier) @name) @enum
(enum_body name: (_) @name @enumerator)
(enum_assignment name: (_) @name) @enumerator
(internal_module name: (_) @name) @namespace
(module name: (_) @name) @namespace
(function_signature name: (identifier) @name) @function
(method_signature name: (_) @name (#eq? @name "constructor")) @constructor
(method_signature name: (_) @name) @method
(construct_signature "new" @name) @method
(required_parameter
  [(accessibility_modifier) "readonly"]
  pattern: (identifier) @name) @field
(abstract_method_signature name: (_) @name) @method
(property_signature name: (_) @name) @property
(public_field_definition
  name: (_) @name
  value: [(arrow_function) (function_expression)]) @method
(public_field_definition name: (_) @name) @field
