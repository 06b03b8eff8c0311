; Definitions of JavaScript alone.

(field_definition
  property: (_) @name
  value: [(arrow_function) (function_expression)]) @method
(field_definition property: (_) @name) @field
