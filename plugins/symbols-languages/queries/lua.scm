; Definitions of Lua.

(comment) @leading

(function_declaration
  name: [
    (identifier) @name
    (dot_index_expression field: (identifier) @name)
    (method_index_expression method: (identifier) @name)
  ]) @function
(assignment_statement
  (variable_list name: [
    (identifier) @name
    (dot_index_expression field: (identifier) @name)
    (bracket_index_expression field: (string) @name)
  ])
  (expression_list value: (function_definition))) @function
(field name: [(identifier) (string)] @name value: (function_definition)) @function
(function_definition) @inside
(variable_declaration
  (assignment_statement (variable_list name: (identifier) @name))) @variable
(variable_declaration (variable_list name: (identifier) @name)) @variable
(chunk (assignment_statement (variable_list name: (identifier) @name)) @variable)
