// Tests of requests, streams and consumers with a server that answers wrongly on purpose.
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import test from "node:test"
import {
  AlreadyDone, CertificateRefused, ChatError, ConnectionFailed, CursorExpired, Gateway, GatewayError, isPassing,
  RateLimited, StoreLocked, Unauthorized, WrongVersion,
} from "../src/index.js"
import { limits } from "../src/streams.js"
import { fake, first } from "./world.mjs"

const problem = (status, code, more = {}) => [status, { title: "title", status, code, requestId: "r1", ...more }]
const client = (server, options = {}) => new Gateway(server.url, { key: "k", attempts: 3, ...options })

test("a POST whose answer was lost is sent again with the same key", async () => {
  const server = await fake((_, count) => (count == 1 ? undefined : [200, { ok: true }]))
  assert.deepEqual(await client(server).post("/v1/x", { a: 1 }), { ok: true })
  const [one, two] = server.requests
  assert.equal(one.headers["idempotency-key"], two.headers["idempotency-key"])
  assert.match(one.headers["idempotency-key"], /^[0-9a-f]{32}$/)
  assert.equal(one.headers.authorization, "Bearer k")
  server.stop()
})

test("an operation is followed to its result, its problem or its cancellation", async () => {
  const states = { one: ["running", "done"], two: ["failed"], three: ["cancelled"] }
  const server = await fake(({ path, method }) => {
    const id = path.split("/").at(-1), state = method == "POST" ? "running" : states[id].shift()
    const operation = { type: "operation", operationId: id, state, progress: { done: 1, unit: "bytes" } }
    if (state == "done") Object.assign(operation, { status: 201, result: { files: 1 } })
    if (state == "failed") Object.assign(operation, { status: 507, problem: problem(507, "storageFull")[1] })
    return method == "POST" ? [202, operation, { Location: `/v1/operations/${id}` }] : [200, operation]
  })
  const gateway = client(server), shown = []
  assert.deepEqual(await gateway.postLong("/v1/one", {}, ({ progress }) => shown.push(progress.done)), { files: 1 })
  assert.equal(server.requests[0].headers.prefer, "respond-async")
  assert.deepEqual(shown, [1, 1])
  const failed = await gateway.post("/v1/two").then(() => assert.fail(), error => error)
  assert.deepEqual([failed.status, failed.code], [507, "storageFull"])
  assert.equal((await gateway.post("/v1/three").then(() => assert.fail(), error => error)).code, "conflict")
  server.stop()
})

test("a request waits as Retry-After says, and a request in progress is sent again", async () => {
  const server = await fake((_, count) =>
    count == 1 ? [...problem(429, "tooManyRequests"), { "Retry-After": "1" }]
      : count == 2 ? problem(409, "requestInProgress") : [200, {}])
  const began = Date.now()
  await client(server).post("/v1/x")
  assert.equal(server.requests.length, 3)
  assert.ok(Date.now() - began >= 1000)
  server.stop()
})

test("each problem has its class, its code, its request id and a message that says what to do", async () => {
  const kinds = [
    [503, "storeLocked", StoreLocked], [422, "chatError", ChatError], [401, "unauthorized", Unauthorized],
    [422, "idempotencyKeyReused", AlreadyDone], [410, "cursorExpired", CursorExpired],
    [404, "unknownRoute", WrongVersion],
  ]
  const server = await fake(({ path }) => {
    const [status, code] = kinds[Number(path.slice(1))]
    return problem(status, code, { chatError: { type: "x" }, oldest: "e-1" })
  })
  for (const [number, [status, code, kind]] of kinds.entries()) {
    const error = await client(server).get(`/${number}`).then(() => assert.fail(), error => error)
    assert.ok(error instanceof kind && error instanceof GatewayError, code)
    assert.deepEqual([error.status, error.code, error.requestId], [status, code, "r1"])
    assert.match(error.message, /request r1/)
  }
  // None of these errors is temporary, so each request was sent once.
  assert.equal(server.requests.length, kinds.length)
  assert.match((await client(server).get("/0").catch(error => error)).message, /Unlock the store/)
  assert.equal((await client(server).get("/4").catch(error => error)).oldest, "e-1")
  server.stop()
})

test("an answer of a proxy without a problem document is an error with its status", async () => {
  const server = await fake(() => [502, "<h1>Bad gateway</h1>"])
  const error = await client(server, { attempts: 1 }).get("/").catch(error => error)
  assert.deepEqual([error.status, error.code, isPassing(error)], [502, "502", true])
  server.stop()
})

test("an unreachable gateway and an incomplete answer cause ConnectionFailed", async () => {
  const server = await fake((_, __, response) => {
    response.writeHead(200, { "Content-Length": "100" })
    response.write("{")
    setTimeout(() => response.destroy(), 20)
    return "open"
  })
  await assert.rejects(client(server, { attempts: 1 }).get("/"), ConnectionFailed)
  server.stop()
  await assert.rejects(client(server, { attempts: 1 }).get("/"), ConnectionFailed)
})

test("a certificate of an unknown authority is an error that is not repeated", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ts-")), [key, cert] = ["key", "cert"].map(name => join(folder, name))
  const made = ["req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", key, "-out", cert, "-subj", "/CN=localhost"]
  execFileSync("openssl", made, { stdio: "ignore" })
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) })
  await new Promise(ready => { server.listen(0, "127.0.0.1", ready) })
  let connections = 0
  server.on("connection", () => connections++)
  await assert.rejects(client({ url: `https://127.0.0.1:${server.address().port}` }).get("/"), CertificateRefused)
  assert.equal(connections, 1)
  server.close()
  rmSync(folder, { recursive: true })
})

test("a client without retries throws the first temporary error", async () => {
  const server = await fake(() => problem(429, "tooManyRequests"))
  await assert.rejects(client(server, { isRetried: () => false }).get("/"), RateLimited)
  assert.equal(server.requests.length, 1)
  server.stop()
})

test("work that is repeated under its name sends the same idempotency keys", async () => {
  const server = await fake(() => [200, {}])
  const gateway = client(server)
  for (let run = 0; run < 2; run++) {
    const work = gateway.once("order-17")
    await work.post("/a")
    await work.post("/b")
  }
  await gateway.post("/c")
  const keys = server.requests.map(({ headers }) => headers["idempotency-key"])
  assert.deepEqual(keys.slice(0, 4), ["order-17-1", "order-17-2", "order-17-1", "order-17-2"])
  assert.match(keys[4], /^[0-9a-f]{32}$/)
  server.stop()
})

test("a page without a key adds a ticket to its requests", async () => {
  const server = await fake(() => [200, {}])
  await new Gateway(server.url, { ticket: async path => `t${path.length}` }).get("/v1/users/1/model?limit=2")
  assert.equal(server.requests[0].path, "/v1/users/1/model?limit=2&ticket=t17")
  assert.equal(server.requests[0].headers.authorization, undefined)
  server.stop()
})

test("the profiles are read page by page", async () => {
  const user = userId => ({ user: { userId, localDisplayName: `name ${userId}` }, unreadCount: 0 })
  const server = await fake(({ path }) =>
    [200, path.endsWith("cursor=p2") ? { users: [user(3)], next: null } : { users: [user(1), user(2)], next: "p2" }])
  assert.deepEqual((await client(server).users()).map(({ id }) => id), [1, 2, 3])
  assert.deepEqual(server.requests.map(({ path }) => path), ["/v1/users", "/v1/users?cursor=p2"])
  server.stop()
})

const entry = number => ({ id: `e-${number}`, time: "t", userId: 1, event: { type: "chatSuspended" } })

test("a stream that breaks in the middle of a line continues after its last entry", async () => {
  const server = await fake(({ path }, _, response) => {
    const cursor = Number(new URL(path, "http://x").searchParams.get("cursor")?.slice(2) ?? 0)
    response.writeHead(200, { "Content-Type": "application/x-ndjson" })
    response.write(`${JSON.stringify(entry(cursor + 1))}\n\n${JSON.stringify(entry(cursor + 2)).slice(0, 9)}`)
    setTimeout(() => response.destroy(), 20)
    return "open"
  })
  const found = await first(3, client(server).events())
  assert.deepEqual(found.map(({ id }) => id), ["e-1", "e-2", "e-3"])
  server.stop()
})

test("if the lines of a stream do not arrive, the client uses long polls", async () => {
  const before = { ...limits }
  Object.assign(limits, { firstLine: 100 })
  const server = await fake(({ headers, path }, _, response) => {
    if (headers.accept == "application/x-ndjson") {
      response.writeHead(200).flushHeaders()
      return "open"
    }
    assert.match(path, /(wait|timeout)=25/)
    return [200, { events: [entry(1)], cursor: "e-1" }]
  })
  assert.equal((await first(1, client(server).events()))[0].id, "e-1")
  Object.assign(limits, before)
  server.stop()
})

test("an expired cursor is an error, or the stream continues at the oldest entry", async () => {
  const answer = ({ path }, _, response) => {
    if (!path.includes("e-5")) return problem(410, "cursorExpired", { oldest: "e-5" })
    response.writeHead(200)
    response.write(`${JSON.stringify(entry(6))}\n`)
    return "open"
  }
  const server = await fake(answer), lost = []
  await assert.rejects(first(1, client(server).events({ cursor: "e-1" })), CursorExpired)
  const found = await first(1, client(server).events({ cursor: "e-1", lost: error => lost.push(error.oldest) }))
  assert.deepEqual([found[0].id, lost], ["e-6", ["e-5"]])
  server.stop()
})

/** Starts a gateway with one consumer, whose events are `events`. */
async function consumers(events) {
  const acknowledged = [], refused = []
  const waiting = events.map((event, number) => ({ id: `e-${number}`, event, attempt: 0 }))
  const server = await fake(({ method, path, body }) => {
    if (path == "/v1/whoami") return [200, { keyId: "k1", scopes: [], storeId: "default" }]
    if (method == "PUT") return [200, {}]
    if (path.endsWith("/take")) {
      const [taken] = waiting
      if (!taken) return [200, { events: [] }]
      taken.attempt++
      return [200, { events: [{ id: taken.id, attempt: taken.attempt, deadline: "t", event: taken.event }] }]
    }
    if (path.endsWith("/ack")) acknowledged.push(...body.ids)
    else refused.push(body)
    if (path.endsWith("/ack") || waiting[0].attempt == 2) waiting.shift()
    return [204, ""]
  })
  return { server, acknowledged, refused }
}

test("a consumer acknowledges handled events, and refuses events whose handler has failed", async () => {
  const suspended = { type: "chatSuspended" }, stops = new AbortController(), failed = []
  const { server, acknowledged, refused } = await consumers([suspended, suspended, suspended])
  const gateway = client(server)
  gateway.on("chatSuspended", {}, async (event, { id }) => {
    assert.deepEqual(event, suspended)
    if (id == "e-1") throw new Error("never")
    if (id == "e-2") stops.abort()
  })
  await gateway.run({
    consumer: "a b", signal: stops.signal, maxAttempts: 2, failed: (error, { id }) => failed.push([error.message, id]),
  })
  assert.deepEqual(acknowledged, ["e-0", "e-2"])
  assert.deepEqual(refused, [{ ids: ["e-1"], delaySeconds: 2 }, { ids: ["e-1"], delaySeconds: 4 }])
  assert.deepEqual(failed, [["never", "e-1"]])
  const put = server.requests.find(({ method }) => method == "PUT")
  assert.equal(put.path, "/v1/consumers/a%20b")
  assert.deepEqual(put.body, { filter: { types: ["chatSuspended"] }, from: "now", deadlineSeconds: 60, maxAttempts: 2 })
  server.stop()
})

test("a handler that hangs gets its event again", async () => {
  const stops = new AbortController()
  let calls = 0
  const { server, refused } = await consumers([{ type: "chatSuspended" }])
  const gateway = client(server)
  gateway.on("chatSuspended", {}, () => {
    calls++
    return calls == 1 ? new Promise(() => {}) : stops.abort()
  })
  await gateway.run({ consumer: "c", signal: stops.signal, deadlineSeconds: 0.1 })
  assert.deepEqual([calls, refused.length], [2, 1])
  server.stop()
})

test("a run that waits for events ends when its signal is aborted", async () => {
  const stops = new AbortController()
  const server = await fake(({ path, method }) => {
    if (path.endsWith("/take")) stops.abort()
    return path.endsWith("/take") ? "open" : method == "PUT" ? [200, {}] : [200, { keyId: "k" }]
  })
  const gateway = client(server)
  gateway.on("chatSuspended", {}, () => {})
  await gateway.run({ consumer: "c", signal: stops.signal })
  assert.deepEqual(server.requests.map(({ method }) => method), ["GET", "PUT", "POST"])
  server.stop()
})
