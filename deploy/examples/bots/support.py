#!/usr/bin/env python3
"""Support desk for a business address: customers get tickets, and the team answers them in one group.

    SXGW_KEY=... support.py TEAM

TEAM is a group of the key's profile. The program prints the address for customers. In the group, the team answers a
ticket by a reply to it, or by /answer 7 TEXT. /close 7 ends it, /open lists tickets, /tell TEXT is for all customers.
"""

import asyncio
import re
import sys

from simplex_gateway import ChatError, Conflict, FileCursor, Gateway
from simplex_gateway.bots import Bot, Turn

bot = Bot(Gateway.from_env(), "support.state", admins=sys.argv[1])


@bot.command("help", "How this works")
async def tell_help(turn: Turn) -> None:
    await turn.reply("Write your question. The team answers in this chat. /status shows your ticket.")


@bot.command("status", "State of my ticket")
async def status(turn: Turn) -> None:
    number = turn.get(f"ticket-of/{turn.chat.ref}")
    await turn.reply(f"Your ticket #{number} is open." if number else "You have no open ticket.")


@bot.otherwise
async def receive(turn: Turn) -> None:
    if bot.is_admin(turn):
        if found := re.match(r"#(\d+) ", turn.message.data.get("quotedItem", {}).get("content", {}).get("text", "")):
            await answer_ticket(turn, found[1], turn.text)
    elif number := turn.get(f"ticket-of/{turn.chat.ref}"):
        await bot.admins.send(f"#{number} {turn.chat.name}: {described(turn)}")
    else:
        turn.state["question"] = described(turn)
        await turn.ask("Thank you. Which product is it about?", product)


@bot.step
async def product(turn: Turn) -> None:
    number = turn.get("tickets", 0) + 1
    turn.set("tickets", number)
    turn.set(f"ticket/{number}", turn.chat.id)
    turn.set(f"ticket-of/{turn.chat.ref}", number)
    await bot.admins.send(f"#{number} {turn.chat.name}, {turn.text[:100]}: {turn.state['question']}")
    await turn.reply(f"Your ticket is #{number}. The team answers here.")


def described(turn: Turn) -> str:
    return turn.text[:3000] if turn.message.kind == "text" else f"[{turn.message.kind}] {turn.text[:3000]}"


async def answer_ticket(turn: Turn, number: str, text: str, ends: bool = False) -> object:
    if (chat := turn.get(f"ticket/{number}")) is None or not text:
        return await turn.reply(f"There is no open ticket {number}." if text else "The answer has no text.")
    customer = await bot.user.group(chat)
    try:
        await customer.send(text)
    except (ChatError, Conflict) as error:
        await turn.reply(f"#{number} has left: {error}")
    if ends:
        turn.set(f"ticket/{number}", None)
        turn.set(f"ticket-of/{customer.ref}", None)
        await turn.reply(f"#{number} is closed.")


@bot.command("answer", "Answer a ticket", params="number text", admin=True)
async def answer(turn: Turn) -> None:
    number, _, text = turn.arguments.partition(" ")
    await answer_ticket(turn, number.lstrip("#"), text.strip())


@bot.command("close", "Close a ticket", params="number", admin=True)
async def close(turn: Turn) -> None:
    await answer_ticket(turn, turn.arguments.lstrip("#"), "Your ticket is closed. Write again at any time.", ends=True)


@bot.command("open", "List open tickets", admin=True)
async def list_open(turn: Turn) -> None:
    numbers = sorted(int(key.split("/")[1]) for key in bot.store.keys("ticket/"))
    await turn.reply("Open: " + ", ".join(f"#{number}" for number in numbers[:200]) if numbers else "None is open.")


@bot.command("tell", "Write to all customers", params="text", admin=True)
async def tell(turn: Turn) -> None:
    if turn.arguments:
        turn.broadcast(turn.arguments)


@bot.started
async def show_address() -> None:
    print(await bot.user.address(business=True, welcome="Hello! What can we do for you?"), flush=True)


asyncio.run(bot.run(cursor=FileCursor("support.cursor")))
