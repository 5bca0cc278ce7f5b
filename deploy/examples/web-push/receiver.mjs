#!/usr/bin/env node
// A browser and a push service in one program. It prints the body of a subscription, and then each decrypted
// notification.
//
//     node receiver.mjs SERVER_KEY [PORT]
//
// SERVER_KEY is the answer of GET /v1/push-subscriptions/key. RFC 8030 (push), 8291 and 8188 (encryption), 8292
// (identity of the sender).
import crypto from "node:crypto"
import http from "node:http"

const [serverKey, port = "8081"] = process.argv.slice(2)
const origin = `http://127.0.0.1:${port}`
const keys = crypto.createECDH("prime256v1")
keys.generateKeys()
const auth = crypto.randomBytes(16)

// Whether the token is signed with the key of the subscription, is for this server, and is still valid.
function isGenuine(field = "") {
  const [, token, key] = field.match(/^vapid t=([^,]+), k=(.+)$/) ?? []
  if (!token || key !== serverKey) return false
  const [head, claims, signature] = token.split(".")
  const point = Buffer.from(key, "base64url")
  const jwk = { kty: "EC", crv: "P-256", x: point.subarray(1, 33).toString("base64url"), y: point.subarray(33).toString("base64url") }
  const publicKey = { key: crypto.createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" }
  const { aud, exp } = JSON.parse(Buffer.from(claims, "base64url"))
  const now = Date.now() / 1000
  return aud === origin && exp > now && exp <= now + 86400 && crypto.verify("sha256", `${head}.${claims}`, publicKey, Buffer.from(signature, "base64url"))
}

function hkdf(salt, secret, info, length) {
  return Buffer.from(crypto.hkdfSync("sha256", secret, salt, info, length))
}

function decrypt(body) {
  const [salt, sender, record] = [body.subarray(0, 16), body.subarray(21, 21 + body[20]), body.subarray(21 + body[20])]
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.getPublicKey(), sender])
  const secret = hkdf(auth, keys.computeSecret(sender), info, 32)
  const key = hkdf(salt, secret, "Content-Encoding: aes128gcm\0", 16)
  const cipher = crypto.createDecipheriv("aes-128-gcm", key, hkdf(salt, secret, "Content-Encoding: nonce\0", 12))
  cipher.setAuthTag(record.subarray(-16))
  const text = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  // The text ends at the delimiter 2. Zeros follow as padding.
  return text.subarray(0, text.lastIndexOf(2))
}

const server = http.createServer((request, response) => {
  const parts = []
  request.on("data", part => parts.push(part))
  request.on("end", () => {
    const isGood = isGenuine(request.headers.authorization) && request.headers["content-encoding"] === "aes128gcm" && request.headers.ttl >= 0
    if (isGood) console.log(decrypt(Buffer.concat(parts)).toString())
    response.writeHead(isGood ? 201 : 403).end()
  })
})
server.listen(Number(port), "127.0.0.1", () => {
  const encoded = { p256dh: keys.getPublicKey("base64url"), auth: auth.toString("base64url") }
  console.log(JSON.stringify({ endpoint: `${origin}/browser`, expirationTime: null, keys: encoded }))
})
