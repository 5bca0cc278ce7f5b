// Requests to the gateway. The page is below `/app/<hash>/`, so the root of the server is computed from the address of
// this file. This also works behind a proxy that adds a path.
import { Requests } from "./requests.js"
import { words } from "./words.js"

const root = new URL("../../../", import.meta.url)

/** The requests of the page. Its errors have messages for users. */
export class Api extends Requests {
  /** @param {string} key */
  constructor(key) {
    super(root, {
      key, attempts: 4,
      describe: ({ code, message }) => words.problems[code] ?? (message == code ? words.unknownProblem(code) : message),
      // Only a POST request without a connection is repeated. The page shows other errors at once, so that users
      // decide.
      isRetried: ({ code }, method) => method == "POST" && code == "offline",
    })
  }

  /** All entries of a list, from all its pages. */
  async all(path, name) {
    const found = [], mark = path.includes("?") ? "&" : "?"
    for (let target = path; ;) {
      const page = await this.get(target)
      found.push(...page[name])
      if (!page.next) return found
      target = `${path}${mark}cursor=${page.next}`
    }
  }
}
