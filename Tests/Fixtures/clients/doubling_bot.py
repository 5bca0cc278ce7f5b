"""A bot on the official Python library, as its documentation has them. Argument: what the paths of its databases begin with."""

import logging
import re
import sys

from simplex_chat import Bot, BotCommand, BotProfile, Message, ParsedCommand, SqliteDb, TextMessage

bot = Bot(
    profile=BotProfile(display_name="Doubler", full_name="The doubling bot"),
    db=SqliteDb(file_prefix=sys.argv[1], encryption_key="a key of the bot"),
    welcome="Send a number, and it comes back twice as large.",
    commands=[BotCommand(keyword="help", label="What is this?")],
)


@bot.on_command("help")
async def help(msg: Message, cmd: ParsedCommand) -> None:
    await msg.reply("Numbers are doubled here.")


@bot.on_message(content_type="text", text=re.compile(r"^-?\d+$"))
async def double(msg: TextMessage) -> None:
    await msg.reply(str(2 * int(msg.text or "0")))


@bot.on_message(content_type="text")
async def other(msg: Message) -> None:
    await msg.reply("This is no number.")


logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
bot.run()
