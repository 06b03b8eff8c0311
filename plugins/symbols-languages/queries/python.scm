; Definitions of Python.

(comment) @leading
(decorator) @leading
(lambda) @inside

(class_definition name: (identifier) @name) @class
(function_definition name: (identifier) @name) @function

(assignment left: (identifier) @name right: (lambda)) @function
(assignment left: (identifier) @name) @variable
(assignment left: (pattern_list (identifier) @name)) @variable
(assignment left: (tuple_pattern (identifier) @name)) @variable
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type
