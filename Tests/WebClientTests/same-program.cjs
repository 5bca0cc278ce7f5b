// Whether the scripts of two folders are the same programs, whatever their spaces, comments and names of private members are.
const { readdirSync, readFileSync } = require("node:fs")
const assert = require("node:assert/strict")
const ts = require("typescript")

/** Its statements and all in them, each by its kind and its text. */
function parts(text) {
  const file = ts.createSourceFile("module.js", text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS), found = []
  assert.deepEqual(file.parseDiagnostics.map(({ messageText }) => messageText), [])
  const names = []
  const walk = node => {
    // Of a private member's name it matters which are the same.
    const isPrivate = ts.isPrivateIdentifier(node)
    if (isPrivate && !names.includes(node.text)) names.push(node.text)
    found.push([ts.SyntaxKind[node.kind], isPrivate ? names.indexOf(node.text) : node.text, node.rawText])
    ts.forEachChild(node, walk)
  }
  ts.forEachChild(file, walk)
  return found
}

const [, , first, second] = process.argv
const scripts = readdirSync(first).filter(name => name.endsWith(".js"))
assert.ok(scripts.length > 50)
assert.deepEqual(readdirSync(second).filter(name => name.endsWith(".js")), scripts)
for (const name of scripts) assert.deepEqual(...[first, second].map(folder => parts(readFileSync(`${folder}/${name}`, "utf8"))), name)
