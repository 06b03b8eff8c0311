; Definitions that C++ adds to those of C.

(template_parameter_list) @leading
(attribute_declaration) @leading

(class_specifier name: (_) @declarator body: (_)) @class
(namespace_definition name: (namespace_identifier) @name) @namespace
(namespace_definition
  name: (nested_namespace_specifier (namespace_identifier) @name)) @namespace
(namespace_definition
  name: (nested_namespace_specifier
    (nested_namespace_specifier (namespace_identifier) @name))) @namespace
(namespace_definition
  name: (nested_namespace_specifier
    (nested_namespace_specifier
      (nested_namespace_specifier (namespace_identifier) @name)))) @namespace
(alias_declaration name: (type_identifier) @name) @type
(concept_definition name: (identifier) @name) @concept
(lambda_expression) @inside
