// Stores for the cursor of the last event that a program has handled.

/**
 * @typedef {{name: string, load: () => Promise<string | undefined>, save: (cursor: string) => Promise<void>}} Cursor
 */

/**
 * A cursor in a file (Node and Deno). A crash leaves the old or the new cursor.
 * @implements {Cursor}
 */
export class FileCursor {
  /** @param {string} path */
  constructor(path) {
    this.path = path
    this.name = path.split(/[\\/]/).pop() ?? ""
  }

  async load() {
    const { readFile } = await files()
    try { return (await readFile(this.path, "utf8")).trim() || undefined } catch (error) {
      if (/** @type {any} */ (error).code == "ENOENT") return undefined
      throw error
    }
  }

  /** @param {string} cursor */
  async save(cursor) {
    const { open, rename } = await files(), part = `${this.path}.part`
    const file = await open(part, "w")
    try {
      await file.writeFile(cursor)
      await file.sync()
    } finally { await file.close() }
    await rename(part, this.path)
  }
}

/**
 * A cursor in the storage of a web page.
 * @implements {Cursor}
 */
export class StoredCursor {
  /** @param {string} name */
  constructor(name) { this.name = name }
  async load() { return localStorage.getItem(this.name) ?? undefined }
  /** @param {string} cursor */
  async save(cursor) { localStorage.setItem(this.name, cursor) }
}

const files = () => import(/** @type {string} */ ("node:fs/promises"))
