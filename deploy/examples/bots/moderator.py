#!/usr/bin/env python3
"""Moderator of a group: a question for those who join, forbidden words, and a cool-down.

    SXGW_KEY=... moderator.py GROUP [WORD…]

GROUP is a group of the key's profile. The program prints its link. Newcomers can only read, and get a question in the
chat with the moderators; the answer makes them members. A message with a forbidden word, or one too many, is deleted,
and its author can only read for a while; the third time the author is removed. Moderators write /forbid and /allow.
"""

import asyncio
import contextlib
import os
import re
import sys
import time

from simplex_gateway import ChatError, Conflict, FileCursor, Gateway, NotFound
from simplex_gateway.bots import Bot, Turn

ANSWER_SECONDS, COOL_DOWN = [float(os.environ.get(*one)) for one in (("ANSWER_SECONDS", "600"), ("COOL_DOWN", "300"))]
STRIKES = 3
bot = Bot(Gateway.from_env(), "moderator.state", group=sys.argv[1], limit=(10, 30))
# The member or the message may be gone already. These errors have no effect.
gone = contextlib.suppress(NotFound, Conflict, ChatError)


@bot.started
async def show_link() -> None:
    print(await bot.group.create_link("observer"), flush=True)


@bot.on("joinedGroupMember")
async def joined(turn: Turn) -> None:
    if turn.member["memberRole"] == "observer":
        left, right = turn.random.randint(2, 9), turn.random.randint(2, 9)
        number = turn.member["groupMemberId"]
        turn.set(f"question/{number}", [left + right, 3, turn.time + ANSWER_SECONDS])
        await turn.chat.support(number).send(f"Welcome! To write here, answer: how much is {left} + {right}?")


@bot.guard
async def check(turn: Turn) -> bool:
    number = turn.member["groupMemberId"] if turn.member else 0
    if question := turn.get(f"question/{number}"):
        expected, tries, end = question
        if turn.text == str(expected):
            turn.set(f"question/{number}", None)
            await bot.group.set_role([number], "member")
            await turn.reply("Right. You can write in the group now.")
        elif tries > 1:
            turn.set(f"question/{number}", [expected, tries - 1, end])
            await turn.reply("That is not the answer. Try again.")
        else:
            turn.set(f"question/{number}", [None, 0, 0])
        return True
    found = set(re.findall(r"\w+", turn.text.casefold())) & {*turn.get("words", sys.argv[2:])}
    punished = bool(found) and not bot.is_admin(turn)
    if punished:
        await punish(turn)
    return punished


@bot.limited
async def punish(turn: Turn) -> None:
    if turn.member is None or turn.chat.scope:
        return
    with gone:
        await bot.group.moderate(turn.message)
    number = turn.member["groupMemberId"]
    if turn.get(f"cool-down/{number}") is None:
        if turn.exceeds(STRIKES - 1, 86_400, "strikes"):
            return turn.set(f"question/{number}", [None, 0, 0])
        turn.set(f"cool-down/{number}", turn.time + COOL_DOWN)
        await bot.group.set_role([number], "observer")
        await bot.group.support(number).send(f"Cool down: you can write again in {COOL_DOWN:.0f} seconds.")


@bot.every(1)
async def end_times() -> None:
    for key in [*bot.store.keys("cool-down/"), *bot.store.keys("question/")]:
        value, number = bot.store.get(key), int(key.split("/")[1])
        if time.time() > (value[2] if isinstance(value, list) else value):
            with gone:
                await (
                    bot.group.remove([number]) if isinstance(value, list) else bot.group.set_role([number], "member")
                )
            bot.store.set(key, None)


@bot.command("forbid", params="word", admin=True)
@bot.command("allow", params="word", admin=True)
async def change_words(turn: Turn) -> None:
    word, words = turn.arguments.casefold(), {*turn.get("words", sys.argv[2:])}
    turn.set("words", sorted(words | {word} if turn.text.startswith("/forbid") else words - {word})[:1000])
    await turn.reply(f"Forbidden words: {len(turn.get('words'))}")


asyncio.run(bot.run(cursor=FileCursor("moderator.cursor")))
