// Files that the user drags over the page.
import { el, words } from "../elements/base.js"

const hasFiles = event => event.dataTransfer?.types.includes("Files")

// Without these handlers, a browser would leave the page and open a file that is dropped beside the chat.
for (const name of ["dragover", "drop"])
  addEventListener(name, event => {
    const { defaultPrevented, dataTransfer, target } = /** @type {DragEvent} */ (event)
    if (!hasFiles(event) || defaultPrevented || target instanceof HTMLInputElement || !dataTransfer) return
    event.preventDefault()
    dataTransfer.dropEffect = "none"
  })

/**
 * Takes files that are dropped on an element. While files are dragged over the element, a text is shown.
 * @param {HTMLElement} area
 * @param {() => boolean} mayTake
 * @param {(files: File[]) => void} take
 */
export function takeDrops(area, mayTake, take) {
  const over = el("div.dropping", { "aria-hidden": "true" }, el("p", words.attaching.drop))
  area.addEventListener("dragover", event => {
    if (!hasFiles(event) || !mayTake()) return
    event.preventDefault()
    if (over.parentElement !== area) area.append(over)
  })
  area.addEventListener("dragleave", event => {
    if (!area.contains(/** @type {Node | null} */ (event.relatedTarget))) over.remove()
  })
  area.addEventListener("drop", event => {
    over.remove()
    if (!hasFiles(event)) return
    event.preventDefault()
    if (mayTake()) take([...event.dataTransfer?.files ?? []])
  })
}
