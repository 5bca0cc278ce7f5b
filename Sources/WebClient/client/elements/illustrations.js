// Small illustrations for parts of the page without content, and the logo. They take the colours of the page.
import { el } from "./dom.js"
import { drawing } from "./icons.js"

/** The filled shape and the lines of each illustration, in a box of 96 × 72 units. */
const shapes = {
  chats: [
    "M38 6h40a8 8 0 0 1 8 8v20a8 8 0 0 1-8 8v9l-10-9H38a8 8 0 0 1-8-8V14a8 8 0 0 1 8-8z",
    "M18 24h36a8 8 0 0 1 8 8v16a8 8 0 0 1-8 8H31l-11 9v-9h-2a8 8 0 0 1-8-8V32a8 8 0 0 1 8-8zM23 36h26M23 45h15",
  ],
  messages: [
    "M50 6a29 29 0 1 0 .01 0z",
    "M82 12L34 30l19 8 9 19zM82 12L53 38M28 42l-9 4M36 48l-8 8M24 33l-13 2",
  ],
  found: [
    "M52 6a29 29 0 1 0 .01 0z",
    "M44 12a20 20 0 1 0 .01 0zM58 47l17 17M36 32h.01M44 32h.01M52 32h.01",
  ],
}

/** Makes an illustration. */
export function illustration(/** @type {keyof typeof shapes} */ name) {
  const [shape, lines] = shapes[name], picture = drawing(lines, "0 0 96 72")
  const shade = /** @type {Element} */ (picture.firstElementChild?.cloneNode())
  shade.setAttribute("d", shape)
  shade.setAttribute("class", "shade")
  picture.prepend(shade)
  picture.setAttribute("class", "illustration")
  return picture
}

/** Makes the content of an empty part: an illustration and a text. */
export const emptyState = (/** @type {keyof typeof shapes} */ name, text) => [illustration(name), el("span", text)]

export const logo = () => el("img.logo", { src: new URL("../icon.svg", import.meta.url).href, alt: "" })
