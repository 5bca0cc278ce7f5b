// Tests of QR codes against codes of `simplex-gateway web`, which another library draws.
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import test from "node:test"
const { qrRows } = await import(`${process.env.CLIENT}/elements/qrCode.js`)

/** For each text: the width of its code, and the modules as a number with a leading 1, in base 36. */
const codes = [
  [
    "http://127.0.0.1:23991/app#ticket=sxgw_oviq5FyDi7ufSSDWPvEwNQYV4ppFNIkLTE5rVXaX1GQ",
    37,
    "z5qynhzydmz1q19b3b2xuoda4vn0pabq8fujsvqk6xeeg8985lmskqj6z8o9bqdfvh060s697411pdju4i7xq8riii815kdo6lhn"
    + "k31ir3cad0bo0440x4u4xuf6mk3vrt74u0v1uy11q9r4jtw5ino2oczvfp542bh98rtn0sk7ouddpjkzcsr2auf2suoszyciz68q"
    + "grbxvzmuvrkr5nm7hfy1sk3z7b3vboui0ba417sjwpvzq5k2u38wm46bacnmxk289",
  ],
  [
    "https://chat.example.org/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    + "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
    + "bbbbb/app#ticket=sxgw_dU4M_ua8BBIJ6ce4mk5YTiVBDNa8t20vM7MNnwZL9ag",
    57,
    "9qd8k6rinctb8myjbvrowo15lsnk8nya009ys8oy1i75r5fkqxikd4h8e6jmpvqbkowue2f73flwhr00cka7ru6ml03dvjbhokvw"
    + "4qfdd9zx7u8qaspv2gvlciagv7m6tvu4f5vgqsxqn9t44ymqd8afnmedgz079a61o1yd9lb5m9jbpv2eztxr59hqjnwsn7f1m299"
    + "moled64ndbgy1fq4kizvxuy6l84wrdxew6lcgj54vz6t3k3trevgf40llja691lkr6xpl3osb7ghbcb8zbtr8hu04yh8tvr1xewx"
    + "y247m2qzsobmdx24qeq03idjgfd6csjth9cos6c36pqmmyj6jc8o1vfbg0tfwrk6pu5ambttbisg3uoxwrn2lwkew5tgg4nwdg6c"
    + "4maypqt7s56918pyhhrtksbe87cmn5qwtmv7u22pgrmn022i82zrng3wc8jppuixaf4c09vu6zwu1b0nkfcu9e9dpmhcppeyjnrq"
    + "lh6s8iwq3bp1ldd1flbe07wdds6szlaqdwoxb9gxx934jg2ueksfjms41oiz3ruyp76imlrrtuke5stdd1xuswzltzlpu8tqd9bx"
    + "52c58shs6wwzgtydtxyp4gpoz5kdm",
  ],
  [
    "https://chat.example.org/ccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    + "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    + "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    + "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"
    + "ccccccccccccccccccccccccccccccccccccccccccccc/app#ticket=sxgw_nYjHMBUbOwVhTo6eWHfXZCSHGoFcS_ZgWevvqE"
    + "bsi7o",
    77,
    "12d1lzbsn7ba80kfpf75rtpkmbyj6t66xey5jikaw74zafxih6rtun3k6fk6wcbp5u8w302a5fogpoi5udp8bw9p4ouuy8x8uv0e"
    + "ynsmv96epkj4pj4wgdy7inmg6cnk7evl5qyhf3hwhx2njpyfj62vfn22ms0uaxssfind5h01a94gtkg2eeaogjj3t393yov5dbxk"
    + "946hg6slm40b5l2jtdwl9wmak3qgului0lvldldz6v9cb5qbiqh57gi8zv13dm3w4j2dzdh42ay7iuhjbbotu44tp4bam8jv9lji"
    + "sbsjdjviii4jrzwbwp7y5qh6ikyf2f8hg4zrt5i3eouehnq9tgrm8wc8htddy37bzcqzetp6pchp742m853ld7wg4ea5ww07tjlp"
    + "tr31vldbsaioqus147bvmnnoxp6pft3cajgnwsxtds10j0b2qz5fo0ugf36ixs5xd72q1yxdd79pdfdlxva1iywd5x0ry59wptjl"
    + "8msu2f464rs0k6vcgna1bwjvs61td78n4yvyb2435ode7dli5nlwgr31cdxqyv146yhzzn1vuboqaop7612b7rsl6qps9cww7t7z"
    + "ja5bahf0sd9nekyy29kog9ul4xeajoi6k6ms26l74f42ae20zfrispbsje2m84hsfeifw0rm99terv2epd3tdqnzvfgjlgfk4awg"
    + "jgni9eexf1k5d375ero9wq083purxxecgp0yakdbkrbirjxvnszuy30q0jl9d618mhhzl8gxu2k55bgyebw67ln4bg1ijqhcn1lw"
    + "80sr5vvgcjam1p56wt7s1vz7fmwlvg297rpvcn5nfcamyprc9zzp0y5dh2tzrm498wjhkx015ehqqo99qgjve932ibj1m9ic1q60"
    + "p1fmhjkrgsx0t1v5wjpg3megnfnz7vbdfs0gwtbdlxxv25outyjinxf2zs8lnmtei2si18pjatfkk2gmotmht48imcljvz48mi3u"
    + "q4a0285iboa1qkgf5uz1xho5k5d6e0yfvkgh4ka5j1rf4czlu3f0spraz74n913xj5n12pxrpxqey4z02a2yax0j6huv31dldglx"
    + "ljz01t6vtfzc5zk7m4dgbov27x0w33insdm79z65thip8bpw",
  ],
]

/** Reads a number in base 36. */
const read = digits => [...digits].reduce((value, digit) => value * 36n + BigInt(parseInt(digit, 36)), 0n)

for (const [text, width, digits] of codes)
  test(`a text of ${text.length} bytes has the code of the gateway`, () => {
    const rows = qrRows(text)
    assert.equal(rows.length, width)
    assert.equal(rows.flat().map(Number).join(""), read(digits).toString(2).slice(1))
  })

// The largest text of each version from 20, with the beginning of the hash of its code from `qrencode -8 -l L`.
const largest = {
  858: "cf3948d542a36a91", 929: "67216fdecc872db2", 1003: "e8e0d234155276a5", 1091: "9b6c499c689c5a7f",
  1171: "3acfc476fd1df504", 1273: "c5ff1d074e0d1724", 1367: "f4417df3d0f2c048", 1465: "ec32363c726494d2",
  1528: "d78a3f3519e0ad74", 1628: "2b70d7d8cf4b2370", 1732: "cb3b8d78cb38723d", 1840: "53b9b48da2130758",
  1952: "584a66c5dfb6ca27", 2068: "7ccbde62a6dead70", 2188: "6b3b24110a3866d1", 2303: "395c1aaff95f8c0e",
  2431: "9b6ac4dac4b17b94", 2563: "4d4f0f605328c030", 2699: "f38a06094e3c9d24", 2809: "4cec457a08ef0538",
  2953: "d3bf4d3a33e1a35d",
}
test("the largest text of each large version has the code of another library", () => {
  for (const [length, expected] of Object.entries(largest)) {
    const rows = qrRows("https://x/".padEnd(Number(length), "abc%3Dx?"))
    const hash = createHash("sha256").update(rows.flat().map(Number).join("")).digest("hex")
    assert.equal(hash.slice(0, 16), expected, length)
  }
})

test("each text up to 2,953 bytes has the smallest code that fits, and a longer text has none", () => {
  for (const [length, width] of [
    [1, 21], [17, 21], [18, 25], [154, 45], [155, 49], [230, 53], [231, 57], [858, 97], [859, 101], [2810, 177],
    [2953, 177],
  ])
    assert.equal(qrRows("x".repeat(length)).length, width, `${length}`)
  assert.equal(qrRows("x".repeat(2954)), null)
  assert.equal(qrRows("ü".repeat(1477)), null)
})
