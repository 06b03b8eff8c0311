; Definitions of JavaScript; also the first part of those of TypeScript.

(comment) @leading
(decorator) @leading
(arrow_function) @local
(function_expression) @local

(class_declaration name: (_) @name) @class
(class name: (_) @name) @class
(function_declaration name: (identifier) @name) @function
(generator_function_declaration name: (identifier) @name) @function
(function_expression name: (identifier) @name) @function

(method_definition name: (_) @name (#eq? @name "constructor")) @constructor
(method_definition name: (_) @name) @method

(variable_declarator
  name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(lexical_declaration kind: "const" (variable_declarator name: (identifier) @name)) @constant
(variable_declarator name: (identifier) @name) @variable

(assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression
  left: [(identifier) @name (member_expression property: (_) @name)]
  right: (class)) @class

(pair
  key: [(property_identifier) (string) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression) (generator_function)]) @method
