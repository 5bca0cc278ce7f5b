// A gateway for tests: a new folder, free ports, and two profiles that are contacts.
import { spawn } from "node:child_process"
import { createSocket } from "node:dgram"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { createServer as createHTTPServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Gateway } from "../src/index.js"

const program = process.env.GATEWAY_PROGRAM ?? ""

// The longest wait for a delivery that the gateway allows, in seconds.
export const DELIVERY = 60
// Milliseconds within which a step happens, even on a machine that is busy with other tests.
export const LIMIT = 300_000

const opened = (socket, start, ...address) => new Promise((ready, failed) => {
  socket.once("error", failed)[start](...address, () => ready(socket))
})

/** Reserves a port that no test in another process gets. The system gives ports below 32768 to no socket by itself. */
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000), holder = createSocket("udp4")
    try {
      // The socket of UDP keeps the port for this process also while its gateway is stopped.
      await opened(holder, "bind", { address: "127.0.0.1", port, exclusive: true })
      const listener = await opened(createServer(), "listen", port, "127.0.0.1")
      await new Promise(closed => { listener.close(closed) })
      holder.unref()
      return port
    } catch { holder.close() }
  }
}

// Programs that this process has started. They end with it, also when the runner of the tests ends it.
const running = new Set()
process.on("exit", () => { for (const one of running) one.kill("SIGKILL") })
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1))

/** Starts a program that does not outlive this process, also when a signal ends this process. */
export function started(command, given, options) {
  const one = spawn("setpriv", ["--pdeathsig", "KILL", command, ...given], options)
  running.add(one)
  one.once("exit", () => running.delete(one))
  return one
}

export class World {
  static async start(...options) {
    const world = new World()
    world.folder = await mkdtemp(join(tmpdir(), "ts-"))
    world.options = [...options]
    // The ports are chosen here, so that they stay the same after a restart.
    for (const option of ["--port", "--relay-port", "--file-relay-port"])
      world.options.push(option, `${await freePort()}`)
    try { return await world.meet() } catch (error) {
      await world.kill()
      await rm(world.folder, { recursive: true })
      throw error
    }
  }

  /** Starts the gateway, and makes the two profiles. */
  async meet() {
    await this.run()
    this.gateway = new Gateway(this.url, { key: this.key })
    for (const displayName of ["alice", "bob"])
      await this.gateway.call("createUser", {}, { profile: { displayName, fullName: "" } })
    this.alice = await this.gateway.user("alice")
    this.bob = await this.gateway.user("bob")
    await this.alice.connect(await this.bob.invite())
    this.contact = await this.alice.contact("bob")
    return this
  }

  async run() {
    this.process = started(program, ["serve", "--data", join(this.folder, "data"), ...this.options])
    this.ended = new Promise(ended => { this.process.once("exit", ended) })
    this.process.stderr.resume()
    let text = ""
    this.url = await new Promise((found, failed) => {
      this.process.once("exit", code => failed(new Error(`The gateway ended with ${code}: ${text}`)))
      this.process.stdout.on("data", part => {
        text += part
        const match = /^URL: *(\S+)/m.exec(text)
        if (match) found(match[1])
      })
    })
    this.key = (await readFile(join(this.folder, "data/admin.key"), "utf8")).trim()
  }

  async kill() {
    this.process.kill("SIGKILL")
    await this.ended
  }

  async stop() {
    this.process.kill()
    await this.ended
    await rm(this.folder, { recursive: true })
  }
}

/** Starts a server whose answers the test decides: `answer` gets each request, and returns status, body and headers. */
export async function fake(answer) {
  const requests = []
  const server = createHTTPServer(async (request, response) => {
    let text = ""
    for await (const part of request) text += part
    const seen = { method: request.method, path: request.url, headers: request.headers, body: text && JSON.parse(text) }
    requests.push(seen)
    const result = await answer(seen, requests.length, response)
    if (result === undefined) return request.socket.destroy()
    if (result === "open") return
    const [status, body, headers = {}] = result
    const type = typeof body == "string" ? "text/html" : "application/json"
    response.writeHead(status, { "Content-Type": type, ...headers })
    response.end(typeof body == "string" ? body : JSON.stringify(body))
  })
  await new Promise(ready => { server.listen(0, "127.0.0.1", ready) })
  return {
    requests, url: `http://127.0.0.1:${server.address().port}`,
    stop: () => { server.closeAllConnections(); server.close() },
  }
}

/** Returns the first values of an iterable, up to a number. */
export async function first(count, values) {
  const found = []
  for await (const value of values) if (found.push(value) == count) break
  return found
}
