// Stores waiting messages in the session storage of the tab, so that they survive a reload. They are encrypted with a
// key made from the API key, which is in the same storage and can read all messages anyway. Signing out removes the
// entries from the storage.
const name = "simplex-gateway.outbox", nonceSize = 12

export class Vault {
  #secret
  #storage
  #isClosed = false

  /** @param {string} secret @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage */
  constructor(secret, storage) {
    this.#secret = secret
    this.#storage = storage
  }

  /** @returns {Promise<any[]>} an empty list if another key has encrypted the entries */
  async load() {
    try {
      const bytes = Uint8Array.from(this.#storage.getItem(name) ?? "", letter => letter.charCodeAt(0))
      const algorithm = { name: "AES-GCM", iv: bytes.subarray(0, nonceSize) }
      const clear = await crypto.subtle.decrypt(algorithm, await this.#key(), bytes.subarray(nonceSize))
      return JSON.parse(new TextDecoder().decode(clear))
    } catch { return [] }
  }

  /**
   * Stores the entries. Stores nothing if the browser cannot encrypt, for example over plain HTTP, or if its storage is
   * full.
   */
  async save(/** @type {any[]} */ entries) {
    if (!entries.length) return this.#storage.removeItem(name)
    try {
      const iv = crypto.getRandomValues(new Uint8Array(nonceSize))
      const text = new TextEncoder().encode(JSON.stringify(entries))
      const sealed = new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await this.#key(), text))
      const letters = Array.from([...iv, ...sealed], byte => String.fromCharCode(byte))
      if (!this.#isClosed) this.#storage.setItem(name, letters.join(""))
    } catch { this.#storage.removeItem(name) }
  }

  clear() {
    this.#isClosed = true
    this.#storage.removeItem(name)
  }

  async #key() {
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${name}\n${this.#secret}`))
    return crypto.subtle.importKey("raw", digest, "AES-GCM", false, ["encrypt", "decrypt"])
  }
}
