// What Lua itself has: words and the safe libraries that scripts see.

export const KEYWORDS = [
  ...['and', 'break', 'do', 'else', 'elseif', 'end', 'false', 'for', 'function', 'goto', 'if', 'in'],
  ...['local', 'nil', 'not', 'or', 'repeat', 'return', 'then', 'true', 'until', 'while'],
];

export const FUNCTIONS = [
  ...['assert', 'error', 'getmetatable', 'ipairs', 'next', 'pairs', 'pcall', 'print', 'rawequal', 'rawget'],
  ...['rawlen', 'rawset', 'require', 'select', 'setmetatable', 'tonumber', 'tostring', 'type', 'xpcall'],
];

export const LIBRARIES: Readonly<Record<string, readonly string[]>> = {
  math: [
    ...['abs', 'acos', 'asin', 'atan', 'ceil', 'cos', 'deg', 'exp', 'floor', 'fmod', 'huge', 'log', 'max'],
    ...['maxinteger', 'min', 'mininteger', 'modf', 'pi', 'rad', 'random', 'randomseed', 'sin', 'sqrt', 'tan'],
    ...['tointeger', 'type', 'ult'],
  ],
  string: [
    ...['byte', 'char', 'find', 'format', 'gmatch', 'gsub', 'len', 'lower', 'match', 'rep', 'reverse'],
    ...['sub', 'upper'],
  ],
  table: ['concat', 'insert', 'move', 'pack', 'remove', 'sort', 'unpack'],
  utf8: ['char', 'charpattern', 'codepoint', 'codes', 'len', 'offset'],
  coroutine: ['create', 'isyieldable', 'resume', 'running', 'status', 'wrap', 'yield'],
};
