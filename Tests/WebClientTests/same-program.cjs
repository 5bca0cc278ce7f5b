// Whether the scripts of two folders are the same programs, whatever their comments are.
const { readdirSync, readFileSync } = require("node:fs")
const assert = require("node:assert/strict")
const ts = require("typescript")

const [, , first, second] = process.argv
const names = readdirSync(first, { recursive: true }).filter(name => name.endsWith(".js"))
assert.ok(names.length > 50)

const compilerOptions = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, removeComments: true }
const program = path => ts.transpileModule(readFileSync(path, "utf8"), { compilerOptions }).outputText
for (const name of names) assert.equal(program(`${second}/${name}`), program(`${first}/${name}`), name)
