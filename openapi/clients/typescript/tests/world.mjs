// A gateway for tests: a new folder, free ports, and two profiles that are contacts.
import { spawn } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:net"
import { createServer as createHTTPServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Gateway } from "../src/index.js"

const program = process.env.GATEWAY_PROGRAM ?? ""

export const freePort = () => new Promise((found, failed) => {
  const server = createServer().once("error", failed).listen(0, "127.0.0.1", () => {
    const { port } = server.address()
    server.close(() => found(port))
  })
})

export class World {
  static async start(...options) {
    const world = new World()
    world.folder = await mkdtemp(join(tmpdir(), "ts-"))
    world.options = [...options]
    // The ports are chosen here, so that they stay the same after a restart.
    for (const option of ["--port", "--relay-port", "--file-relay-port"])
      world.options.push(option, `${await freePort()}`)
    await world.run()
    world.gateway = new Gateway(world.url, { key: world.key })
    for (const displayName of ["alice", "bob"])
      await world.gateway.call("createUser", {}, { profile: { displayName, fullName: "" } })
    world.alice = await world.gateway.user("alice")
    world.bob = await world.gateway.user("bob")
    await world.alice.connect(await world.bob.invite())
    world.contact = await world.alice.contact("bob")
    return world
  }

  async run() {
    this.process = spawn(program, ["serve", "--data", join(this.folder, "data"), ...this.options])
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
