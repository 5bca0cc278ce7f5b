"""Tests of the component with a real gateway."""

from __future__ import annotations

import asyncio
import json
import pathlib
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from homeassistant.config_entries import ConfigEntryState
from homeassistant.const import STATE_UNAVAILABLE
from homeassistant.core import HomeAssistant, State
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.exceptions import HomeAssistantError, ServiceValidationError
from PIL import Image
from pytest_homeassistant_custom_component.common import mock_restore_cache_with_extra_data

from conftest import World
from custom_components.simplex_gateway.diagnostics import async_get_config_entry_diagnostics

DOMAIN = "simplex_gateway"
NOTIFY = "notify.alice_bob"
EVENT = "event.alice_bob"


async def until(condition: Callable[[], Awaitable[Any]]) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(180):
        while not await condition():
            await asyncio.sleep(0.05)


async def act(hass: HomeAssistant, action: str, **data: Any) -> Any:
    data["entity_id"] = NOTIFY
    return await hass.services.async_call(DOMAIN, action, data, blocking=True, return_response=action == "send")


# MARK: Dialogues


async def begin(hass: HomeAssistant, world: World, key: str, url: str | None = None) -> Any:
    flow = await hass.config_entries.flow.async_init(DOMAIN, context={"source": "user"})
    given = {"url": url or world.pair.url, "api_key": key, "verify_ssl": True}
    return await hass.config_entries.flow.async_configure(flow["flow_id"], given)


async def test_a_user_gives_a_key_and_chooses_chats(hass: HomeAssistant, world: World) -> None:
    key = world.key()["key"]
    flow = await begin(hass, world, key)
    assert flow["type"] is FlowResultType.FORM and flow["step_id"] == "chats"
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"chats": [world.alice]})
    assert done["type"] is FlowResultType.CREATE_ENTRY and done["title"] == "alice"
    assert done["options"] == {"chats": {world.alice: "bob"}}
    await hass.async_block_till_done()
    assert hass.states.get(NOTIFY) is not None and hass.states.get(EVENT) is not None
    again = await begin(hass, world, world.key()["key"])
    assert again["type"] is FlowResultType.ABORT and again["reason"] == "already_configured"
    assert await hass.config_entries.async_unload(done["result"].entry_id)


async def test_wrong_input_shows_what_to_do(hass: HomeAssistant, world: World) -> None:
    absent = "http://127.0.0.1:1"
    for key, url, error in [
        ("sxgw_" + "A" * 43, None, "invalid_auth"),
        ("two words", None, "invalid_url"),
        (world.key()["key"], "ftp://127.0.0.1", "invalid_url"),
        (world.key()["key"], absent, "cannot_connect"),
        (world.key(scopes=["read"])["key"], None, "missing_scope"),
    ]:
        flow = await begin(hass, world, key, url)
        assert flow["type"] is FlowResultType.FORM and flow["errors"] == {"base": error}
    texts = json.loads(translations().read_text())["config"]["error"]
    assert set(texts) >= {"invalid_auth", "invalid_url", "cannot_connect", "missing_scope"}


def translations() -> pathlib.Path:
    return pathlib.Path(__file__).parent.parent / "custom_components/simplex_gateway/translations/en.json"


async def test_a_revoked_key_begins_the_dialogue_for_another(hass: HomeAssistant, world: World) -> None:
    made = world.key()
    entry = await world.entry(made["key"])
    await world.call("DELETE", f"/v1/keys/{made['record']['keyId']}")
    await until(lambda: flows(hass))
    with pytest.raises(HomeAssistantError, match="simplex-gateway key add"):
        await act(hass, "send", message="a")
    (flow,) = hass.config_entries.flow.async_progress()
    other = world.key(userId=2)["key"]
    wrong = await hass.config_entries.flow.async_configure(flow["flow_id"], {"api_key": "sxgw_" + "A" * 43})
    assert wrong["errors"] == {"base": "invalid_auth"}
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"api_key": world.key()["key"]})
    assert done["reason"] == "reauth_successful"
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED
    assert (await act(hass, "send", message="with another key"))[NOTIFY]["message_ids"]
    entry.async_start_reauth(hass)
    await hass.async_block_till_done()
    (flow,) = hass.config_entries.flow.async_progress()
    strange = await hass.config_entries.flow.async_configure(flow["flow_id"], {"api_key": other})
    assert strange["reason"] == "other_profile"
    assert await hass.config_entries.async_unload(entry.entry_id)


async def flows(hass: HomeAssistant) -> list[Any]:
    await hass.async_block_till_done()
    return list(hass.config_entries.flow.async_progress())


async def test_options_change_the_chats(hass: HomeAssistant, world: World) -> None:
    entry = await world.entry(chats={})
    assert hass.states.get(NOTIFY) is None
    flow = await hass.config_entries.options.async_init(entry.entry_id)
    done = await hass.config_entries.options.async_configure(flow["flow_id"], {"chats": [world.alice]})
    assert done["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert hass.states.get(NOTIFY) is not None
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_the_address_changes_only_for_the_same_profile(hass: HomeAssistant, world: World) -> None:
    entry = await world.entry()
    for key, reason in [(world.key(userId=2)["key"], "other_profile"), (world.key()["key"], "reconfigure_successful")]:
        flow = await entry.start_reconfigure_flow(hass)
        given = {"url": world.pair.url, "api_key": key, "verify_ssl": False}
        done = await hass.config_entries.flow.async_configure(flow["flow_id"], given)
        assert done["reason"] == reason
        await hass.async_block_till_done()
    assert entry.data["verify_ssl"] is False
    assert await hass.config_entries.async_unload(entry.entry_id)


# MARK: Messages


async def test_messages_are_sent_by_the_standard_action(hass: HomeAssistant, world: World) -> None:
    entry = await world.entry()
    data = {"entity_id": NOTIFY, "message": "The door is open.", "title": "Door"}
    await hass.services.async_call("notify", "send_message", data, blocking=True)
    await until(lambda: arrived(world, "Door\nThe door is open."))
    assert await hass.config_entries.async_unload(entry.entry_id)


async def arrived(world: World, text: str) -> bool:
    return text in await world.texts()


async def test_pictures_files_edits_and_reactions(hass: HomeAssistant, world: World, tmp_path: pathlib.Path) -> None:
    entry = await world.entry()
    hass.config.allowlist_external_dirs = {str(tmp_path)}
    Image.new("RGB", (80, 60), "red").save(tmp_path / "door.jpg")
    (tmp_path / "report.txt").write_text("all is well")
    sent = await act(
        hass, "send", message="At the door", pictures=str(tmp_path / "door.jpg"), files=[str(tmp_path / "report.txt")]
    )
    first, _ = sent[NOTIFY]["message_ids"]
    await until(lambda: has(world, "file", "report.txt"))
    assert await has(world, "image", "door.jpg")
    await act(hass, "edit", message_id=first, message="Nobody is at the door")
    await until(lambda: arrived(world, "Nobody is at the door"))
    await act(hass, "react", message_id=first, emoji="👍")
    reply = await act(hass, "send", message="a reply", reply_to=first, disappear_after=3600)
    await until(lambda: arrived(world, "a reply"))
    assert (await world.items())[-1]["quotedItem"]["content"]["text"] == "Nobody is at the door"
    await act(hass, "delete", message_id=reply[NOTIFY]["message_ids"][0])
    for data, error in [
        ({"pictures": "/etc/hostname"}, "allowlist_external_dirs"),
        ({"files": str(tmp_path / "absent")}, "cannot be read"),
        ({}, "Give a message"),
    ]:
        with pytest.raises(ServiceValidationError, match=error):
            await act(hass, "send", **data)
    with pytest.raises(HomeAssistantError, match="no message"):
        await act(hass, "edit", message_id=10_000, message="a")
    assert await hass.config_entries.async_unload(entry.entry_id)


async def has(world: World, kind: str, name: str) -> bool:
    return any(
        item["content"]["msgContent"]["type"] == kind and item["file"]["fileName"] == name
        for item in await world.items()
    )


async def test_a_received_message_is_an_event_once_also_after_a_pause(hass: HomeAssistant, world: World) -> None:
    entry = await world.entry()
    seen: list[str] = []

    def changed(event: Any) -> None:
        state = event.data["new_state"]
        if event.data["entity_id"] == EVENT and state is not None and state.attributes.get("text"):
            seen.append(f"{state.attributes['event_type']}: {state.attributes['text']}")

    hass.bus.async_listen("state_changed", changed)
    name = await consumer(world, entry)
    await world.say("switch the light on")
    await until(lambda: seen_text(seen, "text: switch the light on"))
    state = hass.states.get(EVENT)
    assert state is not None and state.attributes["sender"] == "bob" and state.attributes["sent_at"]
    assert await hass.config_entries.async_unload(entry.entry_id)
    await world.say("while away")
    await hass.config_entries.async_setup(entry.entry_id)
    await until(lambda: seen_text(seen, "text: while away"))
    await hass.async_add_executor_job(world.pair.kill)
    await hass.async_add_executor_job(world.pair.start)
    await world.say("after a crash")
    await until(lambda: seen_text(seen, "text: after a crash"))
    texts = [text for text in seen if text != "text: switch the light on"]
    assert list(dict.fromkeys(texts)) == ["text: while away", "text: after a crash"]
    assert (await world.call("GET", f"/v1/consumers/{name}"))["name"] == name
    await hass.config_entries.async_remove(entry.entry_id)
    left = (await world.call("GET", "/v1/consumers"))["consumers"]
    assert name not in [consumer["name"] for consumer in left]


async def consumer(world: World, entry: Any) -> str:
    """Wait until the entry has its place in the events, and return the name of this place."""
    name = f"home-assistant-{entry.entry_id.lower()}"

    async def exists() -> bool:
        return name in [one["name"] for one in (await world.call("GET", "/v1/consumers"))["consumers"]]

    await until(exists)
    return name


async def seen_text(seen: list[str], text: str) -> bool:
    return text in seen


async def test_a_repeated_event_has_no_second_effect(hass: HomeAssistant, world: World) -> None:
    await world.say("before")
    item = (await world.call("GET", f"/v1/users/1/chats/{world.alice}"))["chat"]["chatItems"][-1]["meta"]["itemId"]
    stored = {"last_event_type": "text", "last_event_attributes": {"message": item, "text": "before"}}
    state = State(EVENT, "2026-01-01T00:00:00.000+00:00")
    mock_restore_cache_with_extra_data(hass, [(state, stored)])
    entry = await world.entry()

    class Repeated:
        id = item
        kind = text = sender = "again"
        data = {"meta": {"itemTs": ""}}

    from homeassistant.helpers.dispatcher import async_dispatcher_send

    async_dispatcher_send(hass, f"{DOMAIN}-{entry.entry_id}-{world.alice}", Repeated())
    await hass.async_block_till_done()
    found = hass.states.get(EVENT)
    assert found is not None and found.state == "2026-01-01T00:00:00.000+00:00"
    assert await hass.config_entries.async_unload(entry.entry_id)


# MARK: Rights and failures


async def test_a_key_of_one_chat_is_enough(hass: HomeAssistant, world: World) -> None:
    key = world.key(chats=[world.alice], scopes=["read", "write", "events"])["key"]
    flow = await begin(hass, world, key)
    done = await hass.config_entries.flow.async_configure(flow["flow_id"], {"chats": [world.alice]})
    await hass.async_block_till_done()
    (entity,) = hass.states.async_entity_ids("notify")
    data = {"entity_id": entity, "message": "from a small key"}
    await hass.services.async_call("notify", "send_message", data, blocking=True)
    await until(lambda: arrived(world, "from a small key"))
    assert done["title"] == "alice"
    assert await hass.config_entries.async_unload(done["result"].entry_id)


async def test_a_gateway_that_is_away_is_tried_again(hass: HomeAssistant, world: World) -> None:
    key = world.key()["key"]
    await hass.async_add_executor_job(world.pair.kill)
    entry = await world.entry(key)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    await hass.async_add_executor_job(world.pair.start)
    assert await hass.config_entries.async_reload(entry.entry_id)
    await hass.async_block_till_done()
    assert entry.state is ConfigEntryState.LOADED and hass.states.get(NOTIFY).state != STATE_UNAVAILABLE
    assert await hass.config_entries.async_unload(entry.entry_id)


async def test_a_wrong_key_at_the_start_begins_the_dialogue(hass: HomeAssistant, world: World) -> None:
    entry = await world.entry("sxgw_" + "A" * 43)
    assert entry.state is ConfigEntryState.SETUP_ERROR
    assert [flow["context"]["source"] for flow in hass.config_entries.flow.async_progress()] == ["reauth"]


async def test_another_version_is_named(hass: HomeAssistant, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from simplex_gateway import _contract

    monkeypatch.setattr(_contract, "API_VERSIONS", ("9",))
    flow = await begin(hass, world, world.key()["key"])
    assert flow["errors"] == {"base": "wrong_version"}
    entry = await world.entry()
    assert entry.state is ConfigEntryState.SETUP_ERROR and "install simplex-gateway" in str(entry.reason)


async def test_diagnostics_have_no_secrets(hass: HomeAssistant, world: World) -> None:
    key = world.key()["key"]
    entry = await world.entry(key)
    await consumer(world, entry)
    found = json.dumps(await async_get_config_entry_diagnostics(hass, entry))
    for secret in (key, world.pair.url, "alice", "bob"):
        assert secret not in found
    assert json.loads(found)["versions"]["api"] and json.loads(found)["consumer"]["setAside"] == 0
    assert await hass.config_entries.async_unload(entry.entry_id)


def test_the_files_of_the_component_fit_each_other() -> None:
    folder = translations().parent.parent
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["requirements"] == [f"simplex-gateway=={manifest['version']}"]
    texts = json.loads(translations().read_text())
    import yaml

    services = yaml.safe_load((folder / "services.yaml").read_text())
    assert {name: set(one["fields"]) for name, one in services.items()} == {
        name: set(one["fields"]) for name, one in texts["services"].items()
    }
    assert set(json.loads((folder / "icons.json").read_text())["services"]) == set(services)
    assert json.loads((folder.parent.parent / "hacs.json").read_text())["name"] == manifest["name"]
