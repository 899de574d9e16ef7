; Colours by meaning, with the usual names of captures. What comes later wins.

; Names: a variable that all share starts with an uppercase letter.

(identifier) @variable
((identifier) @variable.builtin
  (#match? @variable.builtin "^[A-Z]"))
((identifier) @constant.builtin
  (#any-of? @constant.builtin "null" "nobody" "lowest" "highest"))

(constant name: (identifier) @constant)
(enumeration member: (identifier) @constant)
(case pattern: (identifier) @constant)
(constructor name: (identifier) @constructor)
(enumeration name: (identifier) @type)
(record name: (identifier) @type)
(alias name: (identifier) @type)
(message name: (identifier) @type)
(set_of_processes name: (identifier) @type)
(process set: (identifier) @type)
(receive message: (identifier) @type)
(type_name (identifier) @type)
(primitive_type) @type.builtin

(parameter name: (identifier) @variable.parameter)
(process member: (identifier) @variable.parameter)
(thread (identifier) @variable.parameter)
(field name: (identifier) @property)
(field_expression field: (identifier) @property)
(argument name: (identifier) @property)

(request name: (identifier) @function)
(process name: (identifier) @function)
(function name: (identifier) @function)
(call function: (identifier) @function.call)
((call function: (identifier) @constructor)
  (#match? @constructor "^[A-Z]"))
((call function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "addr2set" "at" "done" "len" "malloc" "max" "min" "ordered" "reach" "set2elem"))

(invariant name: (identifier) @label)
(reach name: (identifier) @label)
(statement label: (identifier) @label)
(conjunct name: (identifier) @label)
(entry invariant: (identifier) @label)
(support (identifier) @label)
(place (identifier) @label)

; Words.

["const" "enum" "fn" "ghost" "index" "lock" "msg" "process" "proof" "record" "request" "server" "set" "type"
  "var"] @keyword
["acyclic" "follows" "from" "other" "self" "to" "use" "where" "of" "in" "subset"] @keyword
["bits" "queue"] @type.builtin
["if" "else" "match" "choose"] @keyword.conditional
["for" "loop" "while"] @keyword.repeat
(quantified ["all" "some"] @keyword.repeat)
["return"] @keyword.return
["and" "or" "not"] @keyword.operator
["assert" "assume" "at" "atomic" "await" "invariant" "reach" "recv" "send" "unlock" "with"] @keyword
(skip) @keyword
(yield) @keyword
(abort) @keyword.return
(deadlock) @keyword
[(break) (continue)] @keyword.repeat

; Signs and literals.

(number) @number
(boolean) @boolean
(string) @string
(coin) @constant.builtin
[":=" "=" "==" "!=" "<" "<=" ">" ">=" "+" "-" "*" "/" "%" "!" "&&" "||" "->" "<->" "=>" ".." "|"] @operator
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ";" ":" "."] @punctuation.delimiter
[(line_comment) (block_comment)] @comment
