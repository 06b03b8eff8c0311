; Definitions of Ruby.

(comment) @leading
(lambda) @inside

(module name: [(constant) @name (scope_resolution name: (constant) @name)]) @module
(class name: [(constant) @name (scope_resolution name: (constant) @name)]) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(alias name: (_) @name) @method
(assignment left: [(constant) @name (scope_resolution name: (constant) @name)]) @constant
(assignment left: (left_assignment_list (constant) @name)) @constant
(call
  method: (identifier) @_method
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_method "attr_reader" "attr_writer" "attr_accessor" "attr")) @property
(call
  method: (identifier) @_method
  arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#any-of? @_method "alias_method" "define_method")) @method
