"""The bot for the tests with kills. It answers each message with the same text.

echo_bot.py CURSOR_FILE [CONSUMER]
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


if sys.argv[2:]:
    # The deadline is short, since an event of a killed program is handed out again after the deadline.
    asyncio.run(gateway.run(consumer=sys.argv[2], start="oldest", timeout=2, attempts=100))
else:
    asyncio.run(gateway.run(cursor=FileCursor(sys.argv[1])))
