// Tests of the names of browsers and of their keys.
import assert from "node:assert/strict"
import test from "node:test"
const { browserName } = await import(`${process.env.CLIENT}/model/browserName.js`)
const { browserOf, isOfBrowser } = await import(`${process.env.CLIENT}/model/browsers.js`)

const windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)", engine = "AppleWebKit/537.36 (KHTML, like Gecko)"
const mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)"

for (const [agent, touches, expected] of [
  ["Mozilla/5.0 (Android 14; Mobile; rv:135.0) Gecko/135.0 Firefox/135.0", 5, "Firefox, Android"],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0", 0, "Firefox, Linux"],
  [`${windows} ${engine} Chrome/133.0.0.0 Safari/537.36 Edg/133.0.0.0`, 0, "Edge, Windows"],
  [`${windows} ${engine} Chrome/133.0.0.0 Safari/537.36 OPR/117.0.0.0`, 0, "Opera, Windows"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${engine} Chrome/133.0.0.0 Mobile Safari/537.36`, 5, "Chrome, Android"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${engine} SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36`, 5,
    "Samsung Internet, Android"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${engine} Chrome/133.0.0.0 Safari/537.36`, 0, "Chrome, ChromeOS"],
  ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_3 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/133.0 Mobile "
    + "Safari/604.1", 5, "Chrome, iPhone"],
  [`${mac} Version/18.3 Safari/605.1.15`, 0, "Safari, macOS"],
  [`${mac} Version/18.3 Safari/605.1.15`, 5, "Safari, iPad"],
  ["Links (2.29; FreeBSD)", 0, ""],
])
  test(`the name of ${agent} (${touches}) is ${expected || "unknown"}`, () =>
    assert.equal(browserName(agent, touches), expected))

test("keys of browsers are found by their names", () => {
  for (const [name, isFound, browser] of [
    ["Web client", true, ""], ["Web client (Firefox, Android)", true, "Firefox, Android"], ["Web clients", false, ""],
    ["web client", false, ""], ["", false, ""], ["Web client (a (b))", true, "a (b)"],
  ]) {
    assert.equal(isOfBrowser(name), isFound, name)
    assert.equal(browserOf(name), browser, name)
  }
})
