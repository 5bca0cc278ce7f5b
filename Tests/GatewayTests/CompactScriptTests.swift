import Testing

@testable import Gateway

@Suite struct CompactScriptTests {
    private static func compact(_ source: String) -> String { String(decoding: CompactScript.bytes(of: Array(source.utf8)), as: UTF8.self) }

    @Test(
        "Comments, indentation and spaces are removed, and tokens that would join stay apart",
        arguments: [
            ("const a = 1, b = [ 2, 3 ]", "let a=1,b=[2,3]"), ("  if (a) return b // why", "if(a)return b"), ("a /* b */ = /** @type {any} */ (c)", "a=(c)"),
            ("a + +b - --c", "a+ +b- --c"), ("x = 1 .toString()", "x=1 .toString()"), ("a /* b */c", "a c"), ("return  /x y/g in z", "return/x y/g in z"),
            ("a ? .5 : b?.c", "a? .5:b?.c"), ("a => !b && - 1", "a=>!b&&-1"), ("a < !b", "a< !b"), ("a-- > b", "a-- >b"), ("get #x () { }", "get #a(){}"), ("é = ü in ö", "é=ü in ö"), ("", ""), (" // only", ""),
        ])
    func spaces(source: String, wanted: String) { #expect(Self.compact(source) == wanted) }

    @Test(
        "Strings, templates and regular expressions stay unchanged",
        arguments: [
            #""a  // b" + 'c /* d'"#, #""\"  //" + '\'  '"#, #"x = /[/  ]\/  "/u.test(y)"#, "`a  // ${b +  `c  ${ {d: 1} }  e`}  /* f */`", "`\\`  ${1}  \\${  `", "f(/  /) / g /  h", "a[0] / b  /  c",
        ])
    func literals(source: String) {
        // The expected text after removal of the spaces in code, which these samples have only beside operators.
        let wanted = [
            #""a  // b" + 'c /* d'"#: #""a  // b"+'c /* d'"#, #""\"  //" + '\'  '"#: #""\"  //"+'\'  '"#, #"x = /[/  ]\/  "/u.test(y)"#: #"x=/[/  ]\/  "/u.test(y)"#,
            "`a  // ${b +  `c  ${ {d: 1} }  e`}  /* f */`": "`a  // ${b+`c  ${{d:1}}  e`}  /* f */`", "f(/  /) / g /  h": "f(/  /)/g/h", "a[0] / b  /  c": "a[0]/b/c",
        ]
        #expect(Self.compact(source) == wanted[source] ?? source)
    }

    @Test("Names of private members become short and distinct, and similar texts stay")
    func privateMembers() {
        #expect(Self.compact("#list = 1; #up; f() { return #list in this && this.#up.#list }") == "#a=1;#b;f(){return #a in this&&this.#b.#a}")
        #expect(Self.compact("f(`#item${this.#goal}`, '#up', /#up/)") == "f(`#item${this.#a}`,'#up',/#up/)")
        let many = (0..<100).map { "#name\($0)" }
        #expect(Set(Self.compact(many.joined(separator: ";")).split(separator: ";")).count == 100)
    }

    @Test(
        "Names that only the script uses are shortened",
        arguments: [
            ("import { words, View as Picture } from './a.js'\nf(words.words, ...words, `${words}` + words, Picture)", "import{words as a,View as b}from'./a.js'\nf(a.words,...a,`${a}`+a,b)"),
            ("const title = 1, other = a => title\nfunction draw(title, { first }) { let second = title; second = draw(other, first) }", "let b=1,d=a=>b\nfunction e(b,{first}){let c=b;c=e(d,first)}"),
            ("export const shown = 2\nexport async function begin(given) { begin(shown, given) }", "export let shown=2\nexport async function begin(a){begin(shown,a)}"),
            ("export const path = 1\nexport class Box {}\nf(async (path, Box) => path(Box))", "export let path=1\nexport class Box{}\nf(async(path,Box)=>path(Box))"),
            ("f((third, ...rest) => third + rest)", "f((a,...rest)=>a+rest)"),
            ("for (const entry of list) { if (f(entry)) { entry = list ? entry : list } }", "for(let a of list){if(f(a)){a=list?a:list}}"),
            ("class Box extends View { item = 1; first(item2) { if (item2) { item2 = this.item } } }", "class Box extends View{item=1;first(a){if(a){a=this.item}}}"),
            ("import { ab } from './a.js'\nf(ab, a, a.b)", "import{ab}from'./a.js'\nf(ab,a,a.b)"),
        ])
    func ownNames(source: String, wanted: String) { #expect(Self.compact(source) == wanted) }

    @Test(
        "A name that may be a member's, or that the browser defines, is not shortened",
        arguments: [
            "f({words})", "f({words:1})", "let{words}=c", "f({words(){return 1}})", "class A{words(){return 1}}", "class A{words=1}", "class A{words\nb}", "class A{static words=1}",
        ])
    func kept(source: String) {
        let script = "import{words}from'./a.js'\nf(words,words,words,words)\n" + source
        #expect(Self.compact(script) == script)
        #expect(Self.compact("const event=f(event,event)") == "let event=f(event,event)")
    }

    @Test("the end of a line stays where it may end a statement")
    func lines() {
        #expect(Self.compact("a\n  // b\n\n  c /* d\n e */ f\n`g\n  h`\n") == "a\nc\nf\n`g\n  h`")
        #expect(Self.compact("f(\n  [\n 1,\n  {\n a }\n]\n)\n;\n[b] = c\nreturn\n}") == "f([1,{a}])\n;[b]=c\nreturn}")
    }

    @Test("A compact script stays unchanged, and a script that is cut off ends at the cut", arguments: ["\"a", "`a", "`a${", "`a${b", "/a", "x = /[a", "/* a", "a\\", "\"\\", "}", "`${}}", "/", "a /"])
    func cut(source: String) {
        let once = Self.compact(source)
        #expect(Self.compact(once) == once)
    }
}
