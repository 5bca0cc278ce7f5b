// Whether the scripts of two folders are the same programs, whatever their spaces, comments, and the names are that only a script itself says.
const { readdirSync, readFileSync } = require("node:fs")
const assert = require("node:assert/strict")
const ts = require("typescript")

const [, , first, second] = process.argv
const scripts = readdirSync(first).filter(name => name.endsWith(".js"))
assert.ok(scripts.length > 50)
assert.deepEqual(readdirSync(second).filter(name => name.endsWith(".js")), scripts)

const program = ts.createProgram(scripts.map(name => `${first}/${name}`), { allowJs: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, lib: ["lib.esnext.d.ts", "lib.dom.d.ts"], types: [] })
const checker = program.getTypeChecker()

/** Whether an identifier is what a member is called. */
function isMember(node) {
  const { parent } = node
  if (ts.isBindingElement(parent)) return parent.propertyName === node
  return parent.name === node && (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent) || ts.isClassElement(parent) || ts.isMethodDeclaration(parent) || ts.isMetaProperty(parent))
}

/** Whether it is that, and a name at once. */
const isBoth = ({ parent }) => ts.isShorthandPropertyAssignment(parent)
  || ts.isBindingElement(parent) && !parent.propertyName && !parent.dotDotDotToken && ts.isObjectBindingPattern(parent.parent)

const inside = node => { const found = []; ts.forEachChild(node, child => { found.push(child) }); return found }

function compare(name, written, served) {
  const now = new Map(), before = new Map(), privates = [[], []], all = new Set()
  /** Asserts that both names stand for each other everywhere. */
  const match = (one, other, node) => {
    assert.equal(now.get(one) ?? other, other, `${name}: ${one}`)
    assert.equal(before.get(other) ?? one, one, `${name}: ${other}`)
    now.set(one, other)
    before.set(other, one)
    if (one == other) return
    // Only names of this script may change.
    const symbol = checker.getSymbolAtLocation(node)
    assert.ok(symbol?.declarations?.every(declaration => declaration.getSourceFile() === written), `${name}: ${one} is not of this script`)
  }
  const walk = (one, other) => {
    assert.equal(ts.SyntaxKind[other.kind], ts.SyntaxKind[one.kind], `${name}: ${one.getText(written).slice(0, 200)}`)
    if (ts.isIdentifier(one)) {
      all.add(one.text)
      if (isMember(one) || isBoth(one)) assert.equal(other.text, one.text, name)
      if (!isMember(one)) match(one.text, other.text, one)
    } else if (ts.isPrivateIdentifier(one)) {
      const [at, atOther] = [one, other].map((node, index) => { if (!privates[index].includes(node.text)) privates[index].push(node.text); return privates[index].indexOf(node.text) })
      assert.equal(at, atOther, name)
    } else if (ts.isImportSpecifier(one)) {
      assert.equal((other.propertyName ?? other.name).text, (one.propertyName ?? one.name).text, name)
      return match(one.name.text, other.name.text, one.name)
    } else if (one !== written) {
      assert.equal(other.text, one.text, name)
      assert.equal(other.rawText, one.rawText, name)
    }
    const [parts, otherParts] = [inside(one), inside(other)]
    assert.equal(otherParts.length, parts.length, `${name}: ${one.getText(written).slice(0, 200)}`)
    for (const [index, part] of parts.entries()) walk(part, otherParts[index])
  }
  walk(written, served)
  for (const [one, other] of now) assert.ok(one == other || !all.has(other), `${name}: ${other}`)
}

for (const name of scripts) {
  const served = ts.createSourceFile(name, readFileSync(`${second}/${name}`, "utf8"), ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS)
  assert.deepEqual(served.parseDiagnostics.map(({ messageText }) => messageText), [], name)
  compare(name, program.getSourceFile(`${first}/${name}`), served)
}
