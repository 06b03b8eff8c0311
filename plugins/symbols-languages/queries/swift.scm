; Definitions of Swift.

(comment) @leading
(multiline_comment) @leading
(lambda_literal) @inside

(class_declaration "class" name: (type_identifier) @name) @class
(class_declaration "actor" name: (type_identifier) @name) @class
(class_declaration "struct" name: (type_identifier) @name) @struct
(class_declaration "enum" name: (type_identifier) @name) @enum
(class_declaration "extension" name: (user_type (type_identifier) @name .)) @extension
(protocol_declaration name: (type_identifier) @name) @interface
(typealias_declaration name: (type_identifier) @name) @type
(associatedtype_declaration name: (type_identifier) @name) @type
(enum_entry (simple_identifier) @name) @enumerator
(function_declaration name: [(simple_identifier) (custom_operator)] @name) @function
(function_declaration
  name: ["!=" "%" "%=" "&" "*" "*=" "+" "+=" "-" "-=" "/" "/=" "<" "<<" "<=" "==" ">" ">=" ">>" "^"
         "|" "~"] @name) @function
(protocol_function_declaration name: [(simple_identifier) (custom_operator)] @name) @function
(protocol_function_declaration name: ["!=" "*" "+" "-" "/" "<" "<=" "==" ">" ">="] @name) @function
(init_declaration "init" @name) @constructor
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(property_declaration (pattern bound_identifier: (simple_identifier) @name)) @variable
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)) @property
