; Definitions of Java.

(line_comment) @leading
(block_comment) @leading
(lambda_expression) @inside

(package_declaration [(identifier) (scoped_identifier)] @name) @package
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(interface_declaration name: (identifier) @name) @interface
(annotation_type_declaration name: (identifier) @name) @interface
(annotation_type_element_declaration name: (identifier) @name) @method
(enum_declaration name: (identifier) @name) @enum
(enum_constant name: (identifier) @name) @enumerator
(constructor_declaration name: (identifier) @name) @constructor
(compact_constructor_declaration name: (identifier) @name) @constructor
(method_declaration name: (identifier) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name))) @field
