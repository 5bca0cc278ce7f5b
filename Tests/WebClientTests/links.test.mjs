// Tests of the addresses that messages can link to, and of the texts that are shown large.
import assert from "node:assert/strict"
import test from "node:test"

const { isSafe, isInvitation, host, linkReach, reachOf, withScheme } = await import(`${process.env.CLIENT}/model/links.js`)
const { isOnlyEmoji } = await import(`${process.env.CLIENT}/model/chats.js`)

test("only addresses of the web, of mail, of telephones and of SimpleX are links", () => {
  for (const address of ["https://example.org/x?y=1#z", "http://[::1]:80/", "mailto:a@example.org", "tel:+4930123", "simplex:/contact#/?v=1"]) assert.ok(isSafe(address), address)
  for (const address of [
    "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)", "\u0001javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x",
    "file:///etc/passwd", "blob:https://example.org/1", "about:blank", "//example.org", "/relative", "", "https://", "https://exa mple.org", "https://example.org/\u202egnp.exe",
    "filesystem:https://example.org/", "view-source:https://example.org", "intent://x", null, undefined, 1, {},
  ]) assert.ok(!isSafe(address), String(address))
})

test("the host of an address is the host to which the address really leads", () => {
  assert.equal(host("https://bank.example@evil.example/"), "evil.example")
  assert.equal(host("https://bank.example%2f@evil.example:8443/x"), "evil.example:8443")
  assert.equal(host("https://аpple.com/"), "xn--pple-43d.com")
  assert.equal(withScheme("example.org/javascript:1"), "https://example.org/javascript:1")
})

test("invitations to connect are recognized", () => {
  for (const address of ["simplex:/invitation#/?v=1", "https://simplex.chat/contact#/?v=2", "https://smp8.simplex.im/i#abc/def", "https://smp8.simplex.im/g#abc"]) assert.ok(isInvitation(address), address)
  for (const address of ["https://example.org/", "https://example.org/i", "http://example.org/i#x", "https://example.org/page#x", "javascript:/i#x", ""]) assert.ok(!isInvitation(address), address)
})

test("only a short text of emojis is shown large", () => {
  for (const text of ["👍", "❤️", "👩‍👩‍👧", "🇩🇪", "👍🏽 😀"]) assert.ok(isOnlyEmoji(text), text)
  for (const text of ["", "1", "#", "a👍", "👍👍👍👍👍👍", "©a", "👍".repeat(1000)]) assert.ok(!isOnlyEmoji(text), text)
})

test("links to relays that can be reached only on one machine or in one network are recognized", () => {
  const long = hosts => `simplex:/invitation#/?v=2&smp=${encodeURIComponent(`smp://abc=@${hosts}/q#/?v=1&dh=x`)}&e2e=v%3D2`
  for (const [link, reach] of [
    ["https://127.0.0.1/i#a/b?p=1&c=x", "machine"], [long("127.0.0.1:7712"), "machine"], [long("[::1]:7712"), "machine"],
    ["https://localhost/a#x", "machine"], ["https://192.168.1.5/a#x", "network"], ["https://172.17.0.2/a#x", "network"],
    [long("10.0.0.3"), "network"], ["https://relay/a#x", "network"], ["https://smp.lan/a#x", "network"],
    [long("smp8.simplex.im,beccx.onion"), ""], ["https://smp8.simplex.im/i#127.0.0.1/x?h=beccx.onion", ""],
    ["https://172.32.0.2/a#x", ""], ["https://10.example.org/a#x", ""], ["simplex:/a#x?h=192.168.1.5%2Csmp.example.org", ""],
    ["simplex:/a#x?h=192.168.1.5", "network"], ["simplex:/a#x", ""],
  ]) assert.equal(linkReach(link), reach, link)
  for (const host of ["fd00::1", "fe80::1", "100.64.0.1", "gateway.home.arpa"]) assert.equal(reachOf(host), "network", host)
  for (const host of ["example.org", "2001:db8::1", "100.128.0.1", "fdic.gov"]) assert.equal(reachOf(host), "", host)
})
