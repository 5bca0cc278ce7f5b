// Icons of buttons: lines in a square of 24.
const lines = {
  attach: "M8 12.5l6.5-6.5a3 3 0 0 1 4.3 4.3l-8.3 8.3a5 5 0 0 1-7-7l8-8",
  back: "M15 5l-7 7 7 7",
  camera: "M4 7h10a1 1 0 0 1 1 1v8a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1M15 11l6-4v10l-6-4",
  close: "M6 6l12 12M18 6L6 18",
  down: "M12 5v14M6 13l6 6 6-6",
  hangUp: "M3 14c5-6 13-6 18 0l-3 3-4-2v-2a10 10 0 0 0-4 0v2l-4 2z",
  info: "M12 3a9 9 0 1 0 .01 0M12 11v6M12 7.5v.01",
  more: "M6 12h.01M12 12h.01M18 12h.01",
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v4",
  pause: "M9 6v12M15 6v12",
  pencil: "M4 20l1-4L16 5l3 3L8 19l-4 1M14 7l3 3",
  phone: "M6 4h3l2 5-2 1.5a11 11 0 0 0 4.5 4.5L15 13l5 2v3a2 2 0 0 1-2 2A15 15 0 0 1 4 6a2 2 0 0 1 2-2",
  play: "M8 5.5v13l10-6.5z",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  screen: "M3 5h18v11H3zM9 20h6M12 16v4",
  search: "M10.5 4a6.5 6.5 0 1 0 .01 0M15.5 15.5L20 20",
  send: "M4 12l16-8-6 17-3-7zM11 14l9-10",
  up: "M12 19V5M6 11l6-6 6 6",
}

export function drawing(lines, box = "0 0 24 24", fit = "xMidYMid") {
  const make = tag => document.createElementNS("http://www.w3.org/2000/svg", tag)
  const picture = make("svg"), path = make("path")
  for (const [key, value] of Object.entries({ viewBox: box, preserveAspectRatio: fit, "aria-hidden": "true", class: "icon" })) picture.setAttribute(key, value)
  path.setAttribute("d", lines)
  picture.append(path)
  return picture
}

export const icon = name => drawing(lines[name] ?? "")
