// Checks that the scripts of two folders are the same programs, except for their comments.
const { readdirSync, readFileSync } = require("node:fs")
const assert = require("node:assert/strict")
const ts = require("typescript")

const [, , first, second] = process.argv
const names = readdirSync(first, { recursive: true }).filter(name => name.endsWith(".js"))
assert.ok(names.length > 50)

const printer = ts.createPrinter({ removeComments: true })

function program(path) {
  const file = ts.createSourceFile("a.js", readFileSync(path, "utf8"), ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS)
  assert.deepEqual(file.parseDiagnostics.map(({ messageText }) => messageText), [], path)
  return printer.printFile(file)
}

for (const name of names) assert.equal(program(`${second}/${name}`), program(`${first}/${name}`), name)
