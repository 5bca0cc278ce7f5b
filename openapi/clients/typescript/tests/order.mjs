// Takes orders in three steps, and counts the orders of each sender: `node order.mjs FOLDER`.
import { join } from "node:path"
import { Bot, FileCursor, Gateway } from "../src/index.js"

const folder = process.argv[2]
const bot = new Bot(Gateway.fromEnv(), join(folder, "order.state"), { limit: null })
bot.command("order", { label: "Order a pizza", menu: "Food" }, turn => turn.ask("Which size?", "size"))
bot.step("size", async turn => {
  turn.state.size = turn.text
  await turn.ask("Which street?", "street")
})
bot.step("street", async turn => {
  const count = (turn.get("orders") ?? 0) + 1
  turn.set("orders", count)
  await turn.reply(`Order ${count}: ${turn.state.size} to ${turn.text}`)
  // A random number, which is the same when the event is repeated.
  await turn.reply(`${Math.floor(turn.random() * 1e6)} minutes`)
})
await bot.run({ cursor: new FileCursor(join(folder, "order.cursor")) })
