"""A bot as in dexgram-bot's documentation, over the socket of the terminal client. Argument: the socket's address."""

import logging
import sys

from dexgram import Bot

bot = Bot(ws_url=sys.argv[1])


@bot.on_contact_connected
async def welcome(contact):
    await bot.send_inline_keyboard(contact.id, "What would you like?", [[{"text": "Help", "callback_data": "help"}]])


@bot.on_command("help")
async def help_command(contact, args):
    await bot.send_text(contact.id, "Commands: /help")


@bot.on_callback("help")
async def help_button(contact, callback):
    await bot.send_text(contact.id, "You pressed a button.")


@bot.on_message
async def echo(contact, text):
    await bot.send_text(contact.id, f"You said: {text}")


logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="%(message)s")
bot.run()
