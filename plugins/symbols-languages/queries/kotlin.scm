; Definitions of Kotlin.

(line_comment) @leading
(block_comment) @leading
(lambda_literal) @inside
(anonymous_function) @inside

(package_header (qualified_identifier) @name) @package
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name) @object
(companion_object name: (identifier) @name) @object
(type_alias type: (identifier) @name) @type
(enum_entry (identifier) @name) @enumerator
(function_declaration name: (identifier) @name) @function
(property_declaration (variable_declaration (identifier) @name)) @variable
(property_declaration
  (multi_variable_declaration (variable_declaration (identifier) @name))) @variable
(class_parameter ["val" "var"] . (identifier) @name) @property

; "annotation class Name" without a body, which looks like an expression.
(infix_expression
  . (identifier) @_annotation
  . (identifier) @_class
  . (identifier) @name
  (#eq? @_annotation "annotation")
  (#eq? @_class "class")) @class
