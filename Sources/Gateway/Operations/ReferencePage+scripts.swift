extension ReferencePage {
    /// Script that opens the entry which the fragment of the address names. Types have a separate page, so an older
    /// link to a type is redirected to that page.
    static let openEntryScript = #"""
        const open = () => {
          let name = ""
          try { name = decodeURIComponent(location.hash.slice(1)) } catch { /* Not a name of an entry. */ }
          const entry = document.getElementById(name)
          if (entry?.tagName == "DETAILS") { entry.open = true; entry.scrollIntoView() }
          else if (!entry && name.startsWith("type-") && document.getElementById("search")) location.replace("docs/types#" + name)
        }
        addEventListener("hashchange", open)
        open()

        """#

    /// Script that lists the entries with the searched words, the best entries first. A word in the summary counts more
    /// than a word in the text, and operations come before events and types. Examples are not searched. The first
    /// search loads the page of events and types.
    static let searchScript = #"""
        const alike = ["picture image photo", "delete remove", "create make add new", "change set update edit", "user profile account",
          "get read list show see", "person people contact friend", "chat conversation", "find search", "voice audio",
          "invite invitation link", "backup copy", "leave exit", "follow stream", "block ban", "message item",
          "mute notification"].map(line => line.split(" "))
        const split = text => text.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^\p{L}\d]+/u).filter(Boolean)
        const joined = text => " " + split(text).join(" ")
        const entriesOf = (page, address, bonus) => [...page.querySelectorAll("details[id]")].map(entry => {
          const [summary, ...rest] = entry.children
          return { link: address + "#" + entry.id, summary, bonus, name: summary.querySelector("code").textContent,
            title: joined(summary.textContent + " " + entry.id) + " ",
            text: joined(rest.filter(part => part.tagName != "PRE").map(part => part.textContent).join(" ")) }
        })
        const search = document.getElementById("search"), found = document.getElementById("found")
        const operations = entriesOf(document, "", 4)
        let loading, types
        const typesPage = () => loading ??= loadTypes().catch(error => { loading = undefined; throw error })
        async function loadTypes() {
          const answer = await fetch("docs/types")
          if (!answer.ok) throw new Error(answer.status)
          return new DOMParser().parseFromString(await answer.text(), "text/html")
        }
        const weight = ({ title, text }, word) =>
          title.includes(` ${word} `) ? 5 : title.includes(" " + word) ? 4 : text.includes(" " + word) ? 1 : 0
        function show() {
          const words = split(search.value).filter(word => !["a", "an", "the", "to", "of", "my", "how", "i"].includes(word))
            .map(word => word.length > 4 ? word.replace(/(ing|s)$/, "") : word)
          const results = [...operations, ...types ?? []].map(entry => {
            const weights = words.map(word => {
              const others = alike.find(group => group.includes(word)) ?? []
              return Math.max(weight(entry, word), ...others.map(other => weight(entry, other) * .9))
            })
            const sum = weights.reduce((sum, one) => sum + one, 0)
            return { entry, sum: sum && sum + entry.bonus + (entry.name == search.value.trim() ? 20 : 0) }
          }).filter(result => result.sum > 0)
          const best = results.sort((one, other) => other.sum - one.sum).slice(0, 20)
          found.replaceChildren(...best.map(({ entry }) => {
            const item = document.createElement("li"), link = document.createElement("a")
            link.href = entry.link
            link.append(...[...entry.summary.childNodes].map(node => document.importNode(node, true)))
            item.append(link)
            return item
          }))
        }
        search.addEventListener("input", async () => {
          show()
          if (types) return
          // After a failure the next search loads the page again.
          const page = await typesPage().catch(() => null)
          if (!page) return
          types ??= entriesOf(page, "docs/types", 0)
          show()
        })

        """#

    /// Script that adds a form to an operation when the operation is opened. The form sends a request with the key that
    /// the user has entered on the page.
    static let requestFormScript = #"""
        const make = (tag, members = {}, ...children) => {
          const element = Object.assign(document.createElement(tag), members)
          element.append(...children)
          return element
        }
        function form(entry, curl) {
          const method = entry.querySelector("summary b").textContent, path = entry.querySelector("summary code").textContent
          const fields = [...entry.querySelectorAll("h4 + table tr")].map(({ cells }) => {
            const input = make("input", { autocomplete: "off" })
            const name = cells[0].textContent.replace("?", ""), place = cells[1].textContent
            return { name, place, input, label: make("label", {}, make("code", { textContent: name }), " ", input) }
          })
          const media = entry.dataset.media, isJSON = media == "application/json"
          const body = media && make(isJSON ? "textarea" : "input", isJSON ? { rows: 6 } : { type: "file" })
          if (isJSON) body.value = entry.querySelector("pre.body")?.textContent ?? ""
          body?.setAttribute("aria-label", "Body")
          const answer = make("pre", { hidden: true }), button = make("button", { textContent: "Send " + method })
          button.addEventListener("click", async () => {
            answer.hidden = false
            answer.textContent = "…"
            try {
              answer.textContent = await ask(method, path, fields, media, isJSON ? body.value : body?.files[0])
            } catch (error) { answer.textContent = String(error) }
          })
          typesPage().then(page => {
            for (const place of entry.querySelectorAll("[data-example]")) {
              const example = page.getElementById(place.dataset.example)?.querySelector("pre")
              if (example) place.after(document.importNode(example, true))
            }
          }, () => {})
          curl.after(make("details", { className: "try" }, make("summary", { textContent: "Try" }),
            ...fields.map(field => field.label), ...(body ? [body] : []), make("p", {}, button), answer))
        }
        async function ask(method, path, fields, media, body) {
          const query = new URLSearchParams(), headers = {}, key = document.getElementById("key").value.trim()
          if (key) headers.Authorization = "Bearer " + key
          for (const { name, place, input: { value } } of fields) {
            if (place == "path" && !value) return name + " is missing."
            // A browser removes the segments `.` and `..` from a path, so the request would have another path.
            if (place == "path" && /^\.\.?$/.test(value)) return name + " must not be a dot or two dots."
            if (place == "path") path = path.replace(`{${name}}`, encodeURIComponent(value))
            else if (value && place == "query") query.append(name, value)
            else if (value) headers[name] = value
          }
          if (body) headers["Content-Type"] = media
          const address = "." + path + (query.size ? "?" + query : "")
          const answer = await fetch(address, { method, headers, body: body || undefined, cache: "no-store", credentials: "omit" })
          const type = answer.headers.get("Content-Type") ?? "", status = answer.status + " " + answer.statusText + "\n"
          if (type && !/json|^text/.test(type)) return status + (await answer.blob()).size + " bytes of " + type
          const text = await answer.text()
          if (!/json/.test(type)) return status + text
          // Numbers beyond the precision of JavaScript stay as they are in the text.
          const value = JSON.parse(text)
          return status + (JSON.stringify(value) == text ? JSON.stringify(value, null, 2) : text)
        }
        document.addEventListener("toggle", event => {
          const entry = event.target, curl = entry.querySelector("pre.curl")
          if (entry.open && curl && !entry.querySelector(".try")) form(entry, curl)
        }, true)
        """#
}
