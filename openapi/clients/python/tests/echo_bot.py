"""The bot of the test of kills: it answers each message with the same text.

echo_bot.py CURSOR_FILE
"""

import asyncio
import logging
import sys

from simplex_gateway import FileCursor, Gateway, Message

logging.basicConfig(stream=sys.stderr)
gateway = Gateway.from_env(timeout=20)


@gateway.on_message()
async def echo(message: Message) -> None:
    await message.reply(message.text)


asyncio.run(gateway.run(cursor=FileCursor(sys.argv[1])))
