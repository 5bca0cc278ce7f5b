"""Groups and channels for tests. They are made through the API, which is faster than through the page."""

from steps import say

# The statuses of a member whose connection is ready.
CONNECTED = ("connected", "complete")


class Group:
    """A group whose owner is alice (profile 1)."""

    def __init__(self, gateway, name="team", **profile):
        self.gateway = gateway
        profile = {"displayName": name, "fullName": "", **profile}
        made = gateway.call("POST", "/v1/users/1/groups", {"groupProfile": profile})
        # Each profile has a separate id for the group.
        self.numbers = {1: made["groupInfo"]["groupId"]}

    def place(self, user):
        return f"group/{self.numbers[user]}"

    def path(self, user):
        return f"/v1/users/{user}/{self.place(user).replace('group', 'groups')}"

    def info(self, user):
        return self.gateway.call("GET", self.path(user))["groupInfo"]

    def own_status(self, user):
        return self.info(user)["membership"]["memberStatus"]

    def members(self, user):
        return self.gateway.call("GET", f"{self.path(user)}/members")["group"]["members"]

    def items(self, user, query=""):
        path = f"/v1/users/{user}/chats/{self.place(user)}{query}"
        return self.gateway.call("GET", path)["chat"]["chatItems"]

    def say(self, user, text, query="", **more):
        return say(self.gateway, user, self.place(user), {"type": "text", "text": text}, query=query, **more)

    def received(self, user, text):
        """Waits for a message, and returns its item id."""

        def found():
            return [item["meta"]["itemId"] for item in self.items(user) if item["meta"]["itemText"] == text]

        return self.gateway.until(found, f"profile {user} has {text}")[0]

    def find(self, user):
        """Waits until a profile has the group."""
        groups = self.gateway.until(
            lambda: self.gateway.call("GET", f"/v1/users/{user}/groups")["groups"], f"profile {user} has the group"
        )
        self.numbers[user] = groups[0]["groupId"]

    def join(self, user):
        """Accepts a profile's invitation to the group."""
        self.find(user)
        self.gateway.call("POST", f"{self.path(user)}/join")
        for side in (1, user):
            self.gateway.until(
                lambda: [it["memberStatus"] for it in self.members(side) if it["memberStatus"] in CONNECTED],
                f"profile {side} is connected with the other one",
            )

    def add_bob(self):
        self.gateway.call("POST", f"{self.path(1)}/members", {"contactId": self.gateway.bob, "memberRole": "member"})
        self.join(2)
        return self

    def add_carol(self, link=None):
        """Makes a profile that joins by the link, and waits for the review of the moderators."""
        if not link:
            made = self.gateway.call("POST", f"{self.path(1)}/link", {"memberRole": "member"})
            link = made["groupLink"]["connLinkContact"]["connFullLink"]
        self.gateway.call("POST", "/v1/users", {"profile": {"displayName": "carol", "fullName": ""}})
        self.gateway.call("POST", "/v1/users/3/connections", {"connLink": link})
        self.find(3)
        self.gateway.until(
            lambda: [it for it in self.members(1) if it["memberStatus"] == "pending_review"], "carol waits"
        )
        self.gateway.until(lambda: self.own_status(3) == "pending_review", "carol knows it")
        return self


def use_relay(gateway, address):
    """Adds a chat relay to profile 1, and returns the relay's id."""
    tested = gateway.call("POST", "/v1/users/1/relays/test", {"address": address})
    servers = gateway.call("GET", "/v1/users/1/servers")["userServers"]
    own = next((group for group in servers if not group.get("operator")), servers[0])
    use = {"preset": False, "tested": True, "enabled": True, "deleted": False}
    own["chatRelays"].append({"address": address, "relayProfile": tested["relayProfile"], "domains": [], **use})
    gateway.call("PUT", "/v1/users/1/servers", {"userServers": servers})
    servers = gateway.call("GET", "/v1/users/1/servers")["userServers"]
    relays = [relay for group in servers for relay in group["chatRelays"]]
    return next(relay["chatRelayId"] for relay in relays if relay["address"] == address)


class Channel(Group):
    """A channel whose owner is alice (profile 1). Chat relays serve it."""

    def __init__(self, gateway, relays, name="the news"):
        self.gateway = gateway
        profile = {"displayName": name, "fullName": "", "description": "Welcome, <b>reader</b>"}
        profile["groupPreferences"] = {"history": {"enable": "on"}}
        numbers = [use_relay(gateway, address) for address in relays]
        made = gateway.call("POST", "/v1/users/1/channels", {"relayIds": numbers, "groupProfile": profile})
        self.numbers = {1: made["groupInfo"]["groupId"]}
        self.link = made["groupInfo"]["groupProfile"]["publicGroup"]["groupLink"]
        gateway.until(lambda: self.statuses() == ["active"] * len(relays), "the relays serve it")

    def statuses(self):
        relays = self.gateway.call("GET", f"{self.path(1)}/relays")["groupRelays"]
        return [relay["relayStatus"] for relay in relays]

    def add_bob(self):
        """Lets profile 2 join the channel by the link."""
        users, link = "/v1/users/2", {"connLink": self.link}
        plan = self.gateway.call("POST", f"{users}/connections/plan", link)
        data = plan["connectionPlan"]["groupLinkPlan"]["groupSLinkData_"]
        prepared = {"connLink": plan["connLink"], "directLink": False, "groupShortLinkData": data}
        made = self.gateway.call("POST", f"{users}/groups/prepared", prepared)
        self.numbers[2] = made["chat"]["chatInfo"]["groupInfo"]["groupId"]
        self.gateway.call("POST", f"{self.path(2)}/connect", {"incognito": False})
        self.gateway.until(lambda: self.own_status(2) in CONNECTED, "bob is in")
        # Waits until the relays have reported the new subscriber to the owner.
        self.gateway.until(
            lambda: [it for it in self.members(1) if it["memberProfile"]["displayName"] == "bob"], "alice knows it"
        )
        return self
