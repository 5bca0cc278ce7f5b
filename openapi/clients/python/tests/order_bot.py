"""The bot for the test of conversations. It takes orders in three steps, and counts the orders of each sender.

order_bot.py FOLDER [CONSUMER]
"""

import asyncio
import logging
import sys

from simplex_gateway import FileCursor, Gateway
from simplex_gateway.bots import Bot, Turn

logging.basicConfig(stream=sys.stderr)
bot = Bot(Gateway.from_env(timeout=20), f"{sys.argv[1]}/order.state", limit=None)


@bot.command("order", "Order a pizza", menu="Food")
async def order(turn: Turn) -> None:
    await turn.ask("Which size?", size)


@bot.step
async def size(turn: Turn) -> None:
    turn.state["size"] = turn.text
    await turn.ask("Which street?", street)


@bot.step
async def street(turn: Turn) -> None:
    count = turn.get("orders", 0) + 1
    turn.set("orders", count)
    # A random number, which is the same when the event is repeated.
    minutes = turn.random.randint(10, 1_000_000)
    await turn.reply(f"Order {count}: {turn.state['size']} to {turn.text}")
    await turn.reply(f"{minutes} minutes")


if sys.argv[2:]:
    asyncio.run(bot.run(consumer=sys.argv[2], start="oldest", timeout=2, attempts=100))
else:
    asyncio.run(bot.run(cursor=FileCursor(f"{sys.argv[1]}/cursor")))
