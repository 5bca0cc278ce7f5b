"""A bot that uses the official Python library. Argument: the prefix of the paths of its databases."""

import logging
import re
import sys

import simplex_chat
from simplex_chat import Message, TextMessage

number = re.compile(r"\A[+-]?[0-9]+\Z")
database = simplex_chat.SqliteDb(file_prefix=sys.argv[1], encryption_key="a key of the bot")
profile = simplex_chat.BotProfile(display_name="Doubler", full_name="The doubling bot")
menu = [simplex_chat.BotCommand(keyword="help", label="What is this?")]
greeting = "Send a number, and it comes back twice as large."
bot = simplex_chat.Bot(profile=profile, db=database, welcome=greeting, commands=menu)


@bot.on_message(text=number, content_type="text")
async def double(received: TextMessage) -> None:
    await received.reply(str(int(received.text) * 2))


@bot.on_message(content_type="text")
async def other(received: Message) -> None:
    await received.reply("This is no number.")


@bot.on_command("help")
async def explain(received: Message, _: simplex_chat.ParsedCommand) -> None:
    await received.reply("Numbers are doubled here.")


logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
bot.run()
