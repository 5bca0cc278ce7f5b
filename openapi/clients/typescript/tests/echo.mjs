// Answers each text of a contact. The cursor is in a file: `node echo.mjs FILE`.
import { FileCursor, Gateway } from "../src/index.js"

const gateway = Gateway.fromEnv()
gateway.on("newChatItems", { direction: "received" }, message => message.reply(`re: ${message.text}`))
await gateway.run({ cursor: new FileCursor(process.argv[2]) })
