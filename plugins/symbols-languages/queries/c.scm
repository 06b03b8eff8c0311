; Definitions of C; also the first part of those of C++.

(comment) @leading

(preproc_def name: (identifier) @name) @macro
(preproc_function_def name: (identifier) @name) @macro

(function_definition declarator: (_) @declarator) @function

; A type without a name of its own has that of its typedef.
(type_definition
  type: (struct_specifier !name body: (_))
  declarator: (type_identifier) @name) @struct
(type_definition
  type: (union_specifier !name body: (_))
  declarator: (type_identifier) @name) @union
(type_definition
  type: (enum_specifier !name body: (_))
  declarator: (type_identifier) @name) @enum
(type_definition declarator: (_) @declarator) @type

(struct_specifier name: (_) @declarator body: (_)) @struct
(union_specifier name: (_) @declarator body: (_)) @union
(enum_specifier name: (_) @declarator body: (_)) @enum
(enumerator name: (identifier) @name) @enumerator
(field_declaration declarator: (_) @declarator) @field

(declaration declarator: (_) @declarator) @variable

; "type (*name)(void) = value;", which looks like an assignment.
(translation_unit
  (expression_statement
    (assignment_expression
      left: (call_expression
        function: (call_expression
          arguments: (argument_list . (pointer_expression argument: (identifier) @name) .)))))
  @variable)
