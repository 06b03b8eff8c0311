; Definitions that JavaScript and TypeScript share.

(comment) @leading
(decorator) @leading
(arrow_function) @inside
(function_expression) @inside

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

; Names of destructured values.
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @name)) @variable
(variable_declarator
  name: (object_pattern (pair_pattern value: (identifier) @name))) @variable
(variable_declarator name: (array_pattern (identifier) @name)) @variable

; Members of objects that have a name.
(variable_declarator value: (object (pair key: [(property_identifier) (string)] @name) @property))
(pair value: (object (pair key: [(property_identifier) (string)] @name) @property))
(assignment_expression
  left: (member_expression)
  right: (object (pair key: [(property_identifier) (string)] @name) @property))
(export_statement value: (object (pair key: [(property_identifier) (string)] @name) @property))

; Fields that a constructor sets.
(method_definition
  name: (property_identifier) @_constructor
  body: (statement_block
    (expression_statement
      (assignment_expression
        left: (member_expression object: (this) property: (_) @name))) @field)
  (#eq? @_constructor "constructor"))

; Members that are added to a class or an object.
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  (#not-eq? @name "exports")) @property
