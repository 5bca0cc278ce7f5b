"""Calls all functions of dexgram-bot's low-level client. Arguments: the socket's address, an invitation link."""

import asyncio
import sys

from dexgram import ChatType, DexgramClient, DexgramCommandError, MsgContent


async def main():
    client = await DexgramClient.create(sys.argv[1])
    user = await client.api_get_active_user()
    print("User:", user.local_display_name)
    print("Users:", len(await client.api_list_users()))
    assert await client.api_get_user_address(user.id) is None
    address = await client.api_create_user_address(user.id)
    await client.enable_address_auto_accept(user.id, MsgContent.text_content("welcome"))
    assert await client.api_get_user_address(user.id) == address
    await client.disable_address_auto_accept(user.id)
    await client.api_delete_user_address(user.id)
    print("Invitation:", len(await client.api_create_link(user.id)) > 0)
    print("Connecting:", await client.api_connect(user.id, sys.argv[2]))
    contact = None
    async for event in client.events:
        if event["type"] == "contactConnected":
            contact = event["contact"]["contactId"]
            break
    items = await client.api_send_text(ChatType.DIRECT, contact, "one")
    item = items[0]["chatItem"]["meta"]["itemId"]
    try:
        # The client's command lacks the word `json`, so the original refuses the command too.
        await client.api_update_chat_item(ChatType.DIRECT, contact, item, MsgContent.text_content("two"))
        raise AssertionError("The command is not refused.")
    except DexgramCommandError:
        pass
    assert len(await client.api_delete_chat_items(ChatType.DIRECT, contact, [item])) == 1
    # Concurrent commands of one connection are each answered when the command is done.
    users = await asyncio.gather(*[client.api_get_active_user() for _ in range(20)])
    assert all(u.id == user.id for u in users)
    await client.api_delete_chat(ChatType.DIRECT, contact)
    await client.disconnect()
    print("Done: everything")


asyncio.run(main())
