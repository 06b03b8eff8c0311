; Definitions of PHP.

(comment) @leading
(attribute_list) @leading
(anonymous_function) @inside
(arrow_function) @inside

(namespace_definition name: (namespace_name) @name) @namespace
(class_declaration name: (name) @name) @class
(interface_declaration name: (name) @name) @interface
(trait_declaration name: (name) @name) @trait
(enum_declaration name: (name) @name) @enum
(enum_case name: (name) @name) @enumerator
(function_definition name: (name) @name) @function
(method_declaration name: (name) @name (#eq? @name "__construct")) @constructor
(method_declaration name: (name) @name) @method
(property_declaration (property_element name: (variable_name (name) @name))) @property
(property_promotion_parameter name: (variable_name (name) @name)) @field
(const_declaration (const_element (name) @name)) @constant
(function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (string (string_content) @name)))
  (#any-of? @_function "define" "DEFINE")) @constant
(function_call_expression
  function: (name) @_function
  arguments: (arguments . (argument (encapsed_string (string_content) @name)))
  (#any-of? @_function "define" "DEFINE")) @constant
(assignment_expression left: (variable_name (name) @name)) @variable
