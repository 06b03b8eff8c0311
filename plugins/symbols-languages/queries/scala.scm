; Definitions of Scala.

(comment) @leading
(block_comment) @leading
(annotation) @leading
(lambda_expression) @inside
(block) @inside

(package_clause name: (package_identifier) @name) @package
(package_object name: (identifier) @name) @object
(class_definition name: (identifier) @name) @class
(object_definition name: (identifier) @name) @object
(trait_definition name: (identifier) @name) @trait
(enum_definition name: (identifier) @name) @enum
(simple_enum_case name: (identifier) @name) @enumerator
(full_enum_case name: (identifier) @name) @enumerator
(type_definition name: (_) @name) @type
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(given_definition name: (identifier) @name) @constant
(val_definition pattern: (identifier) @name) @variable
(val_definition pattern: (identifiers (identifier) @name)) @variable
(val_definition pattern: (tuple_pattern (identifier) @name)) @variable
(var_definition pattern: (identifier) @name) @variable
(var_definition pattern: (identifiers (identifier) @name)) @variable
(val_declaration name: (identifier) @name) @variable
(var_declaration name: (identifier) @name) @variable
(class_parameter name: (identifier) @name) @property
