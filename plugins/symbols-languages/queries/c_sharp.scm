; Definitions of C#.

(comment) @leading
(lambda_expression) @inside
(anonymous_method_expression) @inside

(namespace_declaration name: (_) @name) @namespace
(file_scoped_namespace_declaration name: (_) @name) @namespace
(class_declaration name: (identifier) @name) @class
(record_declaration name: (identifier) @name) @class
(record_declaration (parameter_list (parameter name: (identifier) @name) @property))
(struct_declaration name: (identifier) @name) @struct
(interface_declaration name: (identifier) @name) @interface
(enum_declaration name: (identifier) @name) @enum
(enum_member_declaration name: (identifier) @name) @enumerator
(delegate_declaration name: (identifier) @name) @type
(constructor_declaration name: (identifier) @name) @constructor
(method_declaration name: (identifier) @name) @method
(destructor_declaration name: (identifier) @name) @method
(operator_declaration operator: _ @name) @method
(indexer_declaration "this" @name) @property
(using_directive name: (identifier) @name) @type
(local_function_statement name: (identifier) @name (#not-eq? @name "if")) @function
(property_declaration name: (identifier) @name) @property
(event_declaration name: (identifier) @name) @event
(event_field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @event
(field_declaration
  (variable_declaration (variable_declarator name: (identifier) @name))) @field
(preproc_define (preproc_arg) @name) @macro
