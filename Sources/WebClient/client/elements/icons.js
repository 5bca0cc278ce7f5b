// Icons of buttons. The lines of the icons, in a square of 24 units, are in icons.json.
const lines = await (await fetch(new URL("../icons.json", import.meta.url))).json()

export function drawing(lines, box = "0 0 24 24", fit = "xMidYMid") {
  const make = tag => document.createElementNS("http://www.w3.org/2000/svg", tag)
  const picture = make("svg"), path = make("path")
  for (const [key, value] of Object.entries({
    viewBox: box,
    preserveAspectRatio: fit,
    "aria-hidden": "true",
    class: "icon",
  }))
    picture.setAttribute(key, value)
  path.setAttribute("d", lines)
  picture.append(path)
  return picture
}

/** The icons whose direction is that of the text: they are mirrored in text from right to left. */
const pointing = new Set(["back", "leave", "send"])

export function icon(/** @type {string} */ name) {
  const picture = drawing(lines[name] ?? "")
  if (pointing.has(name)) picture.classList.add("pointing")
  return picture
}
