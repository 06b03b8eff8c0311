; Definitions of Go.

(comment) @leading
(func_literal) @inside

(package_clause (package_identifier) @name) @package
(function_declaration name: (identifier) @name) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration
    type: [
      (type_identifier) @scope
      (generic_type type: (type_identifier) @scope)
      (pointer_type (type_identifier) @scope)
      (pointer_type (generic_type type: (type_identifier) @scope))
    ]))
  name: (field_identifier) @name) @method
(method_declaration name: (field_identifier) @name) @method

(type_spec name: (type_identifier) @name type: (struct_type)) @struct
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec (identifier) @name (#not-eq? @name "_")) @constant
(var_spec (identifier) @name (#not-eq? @name "_")) @variable
(field_declaration (field_identifier) @name (#not-eq? @name "_")) @field
(field_declaration !name type: (type_identifier) @name) @field
(field_declaration !name type: (qualified_type name: (type_identifier) @name)) @field
(method_elem name: (field_identifier) @name) @method
