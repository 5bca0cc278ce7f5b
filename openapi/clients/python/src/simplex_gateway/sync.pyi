# Made by deploy/python-types from the modules with `await`.
# ruff: noqa
# fmt: off
import os
import ssl
from collections.abc import Callable, Iterator
from typing import IO, Any, Literal, TypeVar

import httpx

from . import _generated as g
from ._events import FileCursor as FileCursor
from ._files import Progress, Source
from ._generated import EventType, LongOperation
from ._http import Effects
from ._http import once as once
from ._objects import Wait

EventFunction = TypeVar("EventFunction", bound=Callable[[Event], object])
MessageFunction = TypeVar("MessageFunction", bound=Callable[[Message], object])


class User:
    gateway: Gateway
    data: g.User
    id: int
    name: str
    def contacts(self) -> Iterator[Contact]:
        """Yield all contacts, page by page."""
    def contact(self, name: str | int) -> Contact:
        """Return the contact with this name or id."""
    def groups(self, search: str | None=None) -> Iterator[Group]:
        """Yield all groups and channels, page by page."""
    def group(self, name: str | int) -> Group:
        """The group or channel with this name or id."""
    def chat(self, name: str) -> Chat:
        """Return the chat of a reference such as `direct/4`, of `@bob` or `#team`, or of the name of a contact or a
    group.
    
    A reference needs no scope `read`. Without this scope, the chat has no `data`, and can still send."""
    def chats(self, *, unread: bool | None=None, search: str | None=None) -> Iterator[Chat]:
        """Yield the chats with contacts, groups and notes, the latest activity first."""
    def send(self, contact: str | int, text: str, **options: Any) -> Message:
        """Send a text to a contact by name. `options` are those of `Chat.send`."""
    def messages(self, *, search: str | None=None) -> Iterator[Message]:
        """Yield the messages of all chats, the newest first."""
    def invite(self, *, incognito: bool=False) -> str:
        """Create a link by which one person can connect once."""
    def address(self, *, accept: bool=True, welcome: str | None=None, business: bool=False) -> str:
        """Return the profile's address, by which anybody can connect. Creates the address if it is missing."""
    def connect(self, link: str, *, timeout: float=60, incognito: bool=False) -> Contact | Group:
        """Connect by an invitation or an address, and wait until the chat is connected.
    
    The chat with a business is a group, which the business creates for each request to its address."""
    def join(self, link: str, *, timeout: float=60) -> Group:
        """Join the group or channel of a link, and wait until the user is a member."""
    def create_group(self, name: str, *, description: str | None=None, image: str | None=None) -> Group:
        """Create a group whose only member is this profile."""
    def add_channel_relay(self, address: str, name: str) -> None:
        """Add a chat relay, which serves channels, to the servers of this profile."""
    def create_channel(self, name: str, *, description: str | None=None, relays: list[int] | None=None, timeout: float=60) -> Group:
        """Create a channel that chat relays serve (default: all relays of this profile). Waits until one relay serves
    it."""
    def set_profile(self, **changes: Any) -> None:
        """Change members of the profile: displayName, fullName, shortDescr, description, image, peerType."""
    def upload(self, source: Source, name: str | None=None, *, progress: Progress | None=None) -> g.CryptoFile:
        """Upload bytes for a message: a path, bytes, an open file, or an async iterator. Continues after an
    interruption."""
    def model(self) -> Model:
        """Return the state of the profile as apps show it, as a document that follows all changes."""

class Chat:
    kind: Literal['direct', 'group', 'local']
    scope: str | None
    user: User
    id: int
    name: str
    stats: Any
    @property
    def ref(self) -> str:
        """The reference of the chat, as in filters: `direct/4`."""
    @property
    def unread(self) -> int:
        """The number of unread messages at the time when the chat was listed."""
    def send(self, text: str='', *, file: Source | None=None, image: Source | None=None, name: str | None=None, content: dict[str, Any] | None=None, reply_to: Message | int | None=None, mentions: dict[str, int] | None=None, ttl: int | None=None, wait: Wait='none', timeout: int=30, progress: Progress | None=None) -> Message:
        """Send one message: a text, a file, a picture with its preview, or any `content` of the contract.
    
    With `wait`, the function returns when a relay (`sent`) or the other device (`delivered`) has the message, or
    after `timeout` seconds; `Message.status` shows which. Raises SendFailed for a message that cannot be sent."""
    def messages(self, *, search: str | None=None, limit: int | None=None) -> Iterator[Message]:
        """Yield the messages and other items, the newest first."""
    def message(self, number: int) -> Message:
        """Return the message with this id, in its present state."""
    def mark_read(self) -> None:
        """Mark all messages of the chat as read."""
    def clear(self) -> None:
        """Delete all messages of the chat for this profile."""
    def delete(self, *, notify: bool=True) -> None:
        """Delete the chat and its contact or group."""

class Contact(Chat):
    data: g.Contact

class Group(Chat):
    data: g.GroupInfo
    @property
    def is_channel(self) -> bool:
        ...
    @property
    def link(self) -> str | None:
        """The link of a channel. For other groups, `create_link` returns the link."""
    def members(self) -> Iterator[g.GroupMember]:
        """Yield all members except the user, page by page."""
    def invite(self, contact: Contact, role: str='member') -> None:
        """Invite a contact, who can join with `accept`."""
    def accept(self) -> None:
        """Accept the invitation to this group."""
    def create_link(self, role: str='member') -> str:
        """Return the link by which anybody can join. Creates the link if it is missing."""
    def set_role(self, members: list[int], role: str) -> None:
        """Change the role of members, by their `groupMemberId`."""
    def remove(self, members: list[int], *, with_messages: bool=False) -> None:
        """Remove members, by their `groupMemberId`."""
    def moderate(self, *messages: Message) -> None:
        """Delete messages of others for everybody."""
    def support(self, member: int | None=None) -> Group:
        """Return the support chat of a member (by its `groupMemberId`) or of this profile: the chat with the
    moderators."""
    def leave(self) -> None:
        ...

class Notes(Chat):
    ...

class Message:
    chat: Chat
    data: dict[str, Any]
    id: int
    text: str
    @property
    def kind(self) -> str | None:
        """The kind of the content: text, link, image, video, voice, file, report, chat, or a kind of a later version.
    None for an item that is not a message."""
    @property
    def received(self) -> bool:
        ...
    @property
    def sender(self) -> str:
        """The name of the member, contact or profile that wrote the message."""
    @property
    def status(self) -> str:
        """The state of the delivery: sndNew, sndSent, sndRcvd, sndError, rcvNew, rcvRead, …"""
    @property
    def delivered(self) -> bool:
        """Whether the recipients' devices had confirmed the message when this object was made."""
    @property
    def file(self) -> File | None:
        ...
    def reply(self, text: str='', *, quote: bool=False, **options: Any) -> Message:
        """Answer in the same chat. `options` are those of `Chat.send`."""
    def react(self, emoji: str, *, add: bool=True) -> None:
        """Add a reaction with one of the emojis that the apps offer, or remove the reaction."""
    def edit(self, text: str) -> Message:
        """Change the text of the user's own message, within a day after its sending."""
    def delete(self, *, for_all: bool=False) -> None:
        """Delete the message for this profile, or the user's own message for all, within a day after its sending."""
    def forward(self, chat: Chat) -> Message:
        """Send the message to another chat, with a mark that it was forwarded."""

class File:
    message: Message
    data: g.CIFile
    id: int
    name: str
    size: Any
    @property
    def status(self) -> str:
        ...
    def receive(self, *, timeout: float=300) -> None:
        """Fetch the file from its file server to the gateway, and wait until the gateway has it."""
    def download(self, path: str | os.PathLike[str], *, progress: Progress | None=None) -> None:
        """Receive the file if necessary, and write its bytes to a path. After a failure, the path is unchanged."""
    def read(self) -> bytes:
        """Receive the file if necessary, and return its bytes."""
    def chunks(self, *, progress: Progress | None=None) -> Iterator[bytes]:
        """Yield the bytes of a received file in parts. Continues after an interruption."""

class Event:
    gateway: Gateway
    id: int
    time: str
    user_id: int | None
    data: dict[str, Any]
    type: str
    @property
    def user(self) -> User | None:
        """The profile of the event; None if the event concerns no profile or all profiles."""
    @property
    def messages(self) -> list[Message]:
        """The messages in the event."""

class Model:
    user: User
    document: dict[str, Any]
    patch: list[dict[str, Any]]
    id: int
    cursor: Any
    @property
    def chats(self) -> list[dict[str, Any]]:
        ...
    def read(self) -> None:
        """Read the whole document, in parts if it is long."""
    def take(self, change: dict[str, Any]) -> None:
        """Apply a change of the document."""
    def __iter__(self) -> Iterator[Model]:
        ...

class Gateway:
    api: Operations
    def __init__(self, url: str, key: str, *, retry_for: float=60, timeout: float=30, **options: Any) -> None:
        ...
    def __enter__(self) -> Gateway: ...
    def __exit__(self, *error: object) -> None: ...
    @classmethod
    def from_env(cls, **options: Any) -> Gateway:
        """Return the gateway that the variables SXGW_URL, and SXGW_KEY or SXGW_KEY_FILE, name.
    
    Without these variables, it is the gateway of this machine with its administrator's key."""
    def close(self) -> None:
        ...
    def check(self) -> dict[str, str]:
        """Return the versions of the gateway. Raises WrongVersion if this package does not support its API."""
    def user(self, name: str | int | None=None) -> User:
        """Return the profile with this name or id. Without a name: the profile of the key, otherwise the active
    profile.
    
    With a key without the scope `read`, the profile has an id and no name."""
    def chats_of_key(self) -> list[dict[str, Any]]:
        """Return the chats, as in the contract, to which the key is limited. The list of another key is empty."""
    def users(self) -> Iterator[User]:
        """Yield all visible profiles."""
    def create_user(self, name: str, *, full_name: str='', **options: Any) -> User:
        """Create a profile. `options` are members of the request, such as `userChatRelay`."""
    def pages(self, operation: str, member: str, query: Any=None, *, newest_first: bool=False, **place: Any) -> Iterator[Any]:
        """Yield the entries of a list, page by page. `member` is the name of the list in the answer. `place` has the
    values for the path."""
    def models(self, *users: User) -> Iterator[Model]:
        """Yield the states of profiles as apps show them, over one stream: each at first and after each change."""
    def follow(self, operation: Any, progress: Callable[[LongOperation], object] | None=None) -> Any:
        """Wait until long work has ended, and return its answer. `progress` gets each state until then.
    
    work = await gateway.api.create_backup({"folder": "/copy"}, prefer="respond-async")
    await gateway.follow(work, lambda state: print(state.get("progress")))"""
    def now(self) -> str:
        """Return the cursor after the last event."""
    def events(self, *types: EventType | str, cursor: str | None=None, user: User | int | None=None, chats: list[str] | None=None) -> Iterator[Event]:
        """Yield the events after a cursor, or from now on, without end. The server applies the filters.
    
    A program can continue after the cursor `event.id`. Raises CursorExpired if the gateway no longer has the
    events."""
    def wait_for(self, *types: EventType | str, user: User | None=None, since: str | None=None, timeout: float=60, where: Callable[[dict[str, Any]], bool]=lambda event: True) -> dict[str, Any]:
        """Wait for the first event of these types after the cursor `since`, or from now on, for which `where` returns
    True."""
    def on(self, *types: EventType | str, user: User | int | None=None, where: Callable[[Event], bool] | None=None) -> Callable[[EventFunction], EventFunction]:
        """Decorator of a handler for events of these types; without types, for all events. The type `gap` reports lost
    events."""
    def on_message(self, *, direction: str | None='received', kind: str | None=None, user: User | int | None=None, chat: Any=None, where: Callable[[Message], bool] | None=None) -> Callable[[MessageFunction], MessageFunction]:
        """Decorator of a handler for each new message that meets the conditions, such as one kind of content or one
    chat."""
    def on_failure(self, function: Callable[[Event, BaseException], object]) -> Callable[[Event, BaseException], object]:
        """Decorator of a function that is called for an event whose last attempt has failed."""
    def run(self, *, consumer: str | None=None, cursor: FileCursor | None=None, start: str='now', attempts: int=10, timeout: float=60, workers: int=1) -> None:
        """Handle events until the task is cancelled. A consumer on the server, or a file, stores the position in the
    events.
    
    A handler that fails or takes longer than `timeout` seconds is called again, at most `attempts` times. The
    requests of a handler have their effect once, even if the handler is called several times: their idempotency
    keys derive from the event and a counter. With a consumer, `workers` handlers run at the same time, each for
    another chat."""

class Operations:
    def get_address(self, user_id: int) -> g.UserContactLinkResponse:
        """Show the address."""
    def create_address(self, user_id: int) -> g.UserContactLinkCreatedResponse:
        """Create the address."""
    def update_address(self, user_id: int, body: g.UpdateAddressRequest, *, if_match: str | None=None) -> g.UserContactLinkResponse:
        """Change the handling of contact requests by a merge patch."""
    def delete_address(self, user_id: int) -> g.UserContactLinkDeletedResponse:
        """Delete the address."""
    def create_address_short_link(self, user_id: int) -> g.UserContactLinkResponse:
        """Give the address a short link, or replace the data behind it."""
    def set_address_domain(self, user_id: int, body: g.SetAddressDomainRequest) -> g.SetUserProfileResponse:
        """Give the profile a SimpleX name, or remove the name."""
    def verify_contact_domain(self, user_id: int, contact_id: int) -> g.ContactDomainVerifiedResponse:
        """Check the SimpleX name of a contact."""
    def verify_group_domain(self, user_id: int, group_id: int) -> g.GroupDomainVerifiedResponse:
        """Check the SimpleX name of a channel or of a business."""
    def list_broadcasts(self, user_id: int, *, limit: int | None=None, cursor: str | None=None) -> g.ListBroadcastsResponse:
        """Broadcasts of a profile, the newest first."""
    def create_broadcast(self, user_id: int, body: g.CreateBroadcastRequest) -> g.Broadcast:
        """Send messages to many chats."""
    def get_broadcast(self, user_id: int, broadcast_id: int) -> g.Broadcast:
        """A broadcast, with the numbers of its results."""
    def list_broadcast_results(self, user_id: int, broadcast_id: int, *, state: Literal['waiting', 'sent', 'failed', 'cancelled'] | None=None, limit: int | None=None, cursor: str | None=None) -> g.ListBroadcastResultsResponse:
        """The result of each chat of a broadcast, in the order of sending."""
    def cancel_broadcast(self, user_id: int, broadcast_id: int) -> g.Broadcast:
        """Stop a broadcast."""
    def start_call(self, user_id: int, contact_id: int, body: g.StartCallRequest) -> g.CmdOkResponse:
        """Call a contact."""
    def end_call(self, user_id: int, contact_id: int) -> g.CmdOkResponse:
        """End a call, incoming or outgoing."""
    def reject_call(self, user_id: int, contact_id: int) -> g.CmdOkResponse:
        """Refuse a call."""
    def send_call_offer(self, user_id: int, contact_id: int, body: g.SendCallOfferRequest) -> g.CmdOkResponse:
        """Accept an incoming call."""
    def send_call_answer(self, user_id: int, contact_id: int, body: g.SendCallAnswerRequest) -> g.CmdOkResponse:
        """Accept the offer of the called contact."""
    def send_call_candidates(self, user_id: int, contact_id: int, body: g.SendCallCandidatesRequest) -> g.CmdOkResponse:
        """Send ICE candidates that were found later."""
    def set_call_status(self, user_id: int, contact_id: int, body: g.SetCallStatusRequest) -> g.CmdOkResponse:
        """Report the state of the media."""
    def list_call_invitations(self) -> g.CallInvitationsResponse:
        """The incoming calls that wait for an answer."""
    def list_consumers(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListConsumersResponse:
        """The consumers of the store, by name."""
    def get_consumer(self, name: str) -> g.Consumer:
        """One consumer, with its settings and counts."""
    def set_consumer(self, name: str, body: g.SetConsumerRequest | None=None, *, if_match: str | None=None) -> g.Consumer:
        """Create a consumer, or change its settings."""
    def delete_consumer(self, name: str) -> None:
        """Delete a consumer."""
    def take_events(self, name: str, body: g.TakeEventsRequest | None=None) -> g.TakeEventsResponse:
        """Take events, or wait for them."""
    def acknowledge_events(self, name: str, body: g.AcknowledgeEventsRequest) -> g.AcknowledgeEventsResponse:
        """Acknowledge events that were handled."""
    def refuse_events(self, name: str, body: g.RefuseEventsRequest) -> g.RefuseEventsResponse:
        """Give events back that could not be handled."""
    def list_set_aside_events(self, name: str, *, cursor: str | None=None, limit: int | None=None) -> g.ListSetAsideEventsResponse:
        """Events that were not acknowledged after the maximal number of attempts, the oldest first."""
    def delete_set_aside_events(self, name: str) -> None:
        """Delete all events that are set aside."""
    def retry_set_aside_events(self, name: str, body: g.RetrySetAsideEventsRequest | None=None) -> g.RetrySetAsideEventsResponse:
        """Hand out events again that are set aside."""
    def delete_set_aside_event(self, name: str, event_id: str) -> None:
        """Delete one event that is set aside."""
    def create_invitation(self, user_id: int, body: g.CreateInvitationRequest | None=None) -> g.InvitationResponse:
        """Create a one-time invitation."""
    def create_connection(self, user_id: int, body: g.CreateConnectionRequest) -> g.CreateConnectionResponse:
        """Connect by an invitation or an address."""
    def plan_connection(self, user_id: int, body: g.PlanConnectionRequest) -> g.ConnectionPlanResponse:
        """Check what connecting by a link or a SimpleX name would do."""
    def prepare_contact(self, user_id: int, body: g.PrepareContactRequest) -> g.NewPreparedChatResponse:
        """Open a chat from a link, without connecting yet."""
    def connect_prepared_contact(self, user_id: int, contact_id: int, body: g.ConnectPreparedContactRequest | None=None) -> g.ConnectPreparedContactResponse:
        """Connect a prepared contact."""
    def connect_contact_by_address(self, user_id: int, contact_id: int, body: g.ConnectContactByAddressRequest | None=None) -> g.SentInvitationToContactResponse:
        """Connect to a contact by the address in its profile."""
    def accept_contact_request(self, user_id: int, contact_req_id: int, body: g.AcceptContactRequest | None=None) -> g.AcceptingContactRequestResponse:
        """Accept a contact request."""
    def reject_contact_request(self, user_id: int, contact_req_id: int) -> g.ContactRequestRejectedResponse:
        """Reject a contact request."""
    def clear_chat(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None) -> g.ChatClearedResponse:
        """Delete all items of a chat."""
    def list_contacts(self, user_id: int, *, name: str | None=None, search: str | None=None, limit: int | None=None, cursor: str | None=None, fields: list[str] | None=None) -> g.ContactsListResponse:
        """The contacts of a profile."""
    def get_contact(self, user_id: int, contact_id: int) -> g.ContactInfoResponse:
        """A contact with the state of its connection."""
    def update_contact(self, user_id: int, contact_id: int, body: g.UpdateContactRequest, *, if_match: str | None=None) -> g.UpdateContactResponse:
        """Change a contact by a merge patch."""
    def enable_contact(self, user_id: int, contact_id: int) -> g.CmdOkResponse:
        """Use a contact's connection again after failures."""
    def update_connection(self, user_id: int, conn_id: int, body: g.UpdateConnectionRequest, *, if_match: str | None=None) -> g.UpdateConnectionResponse:
        """Change an invitation that nobody has used yet by a merge patch."""
    def set_database_encryption(self, body: g.SetDatabaseEncryptionRequest, *, prefer: str | None=None) -> g.CmdOkResponse | g.LongOperation:
        """Change, set or remove the key of the databases."""
    def test_database_key(self, body: g.TestDatabaseKeyRequest) -> g.CmdOkResponse:
        """Test whether a key opens the databases."""
    def export_archive(self, body: g.ExportArchiveRequest, *, prefer: str | None=None) -> g.ArchiveExportedResponse | g.LongOperation:
        """Write both databases and the files into a ZIP archive."""
    def import_archive(self, body: g.ImportArchiveRequest, *, prefer: str | None=None) -> g.ArchiveImportedResponse | g.LongOperation:
        """Replace the databases with the databases of an archive."""
    def get_migration(self) -> g.MigrationState:
        """Get the state of the migration from or to another device."""
    def create_migration(self, body: g.CreateMigrationRequest, *, prefer: str | None=None) -> g.CreateMigrationResponse | g.LongOperation:
        """Make a link by which another device gets all profiles of the store."""
    def cancel_migration(self) -> None:
        """Cancel a migration to another device that has a link."""
    def finish_migration(self) -> g.MigrationState:
        """Delete the databases after a migration to another device."""
    def receive_migration(self, body: g.ReceiveMigrationRequest, *, prefer: str | None=None) -> g.ArchiveImportedResponse | g.LongOperation:
        """Get all profiles from another device by a link."""
    def list_archives(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListArchivesResponse:
        """List the archives that can be fetched and imported."""
    def delete_archive(self, archive_name: str) -> None:
        """Delete an archive."""
    def delete_files(self) -> g.DeletedFiles:
        """Delete all files, and keep the messages."""
    def delete_database(self) -> g.CmdOkResponse:
        """Delete the databases and all files."""
    def get_version(self) -> g.VersionInfoResponse:
        """Get the version of the core, and the schemas of its databases."""
    def get_log_level(self) -> g.LogLevel:
        """Get the log level of the gateway."""
    def set_log_level(self, body: g.LogLevel) -> g.LogLevel:
        """Set the log level of the gateway."""
    def get_slow_statements(self) -> g.SlowSQLQueriesResponse:
        """List the slow statements of the databases of the store."""
    def list_workers(self, *, limit: int | None=None, cursor: str | None=None) -> g.WorkersResponse:
        """List the workers of the store, with the reasons why they wait."""
    def get_locks(self) -> g.LocksResponse:
        """Get the locks and queues of the store that work waits for."""
    def get_subscription_counts(self, user_id: int) -> g.AgentSubsTotalResponse:
        """Get the number of subscribed queues of a profile."""
    def get_server_statistics(self, user_id: int) -> g.AgentServersSummaryResponse:
        """Get sessions, subscriptions and statistics by server, for all profiles and for this profile."""
    def reset_server_statistics(self) -> g.CmdOkResponse:
        """Set the statistics to zero."""
    def get_contact_queue(self, user_id: int, contact_id: int) -> g.QueueInfoResponse:
        """Get the relay's report about the queue that receives a contact's messages."""
    def get_member_queue(self, user_id: int, group_id: int, group_member_id: int) -> g.QueueInfoResponse:
        """Get the relay's report about the queue that receives a member's messages."""
    def list_network_statuses(self, *, limit: int | None=None, cursor: str | None=None) -> g.NetworkStatusesResponse:
        """Get the states of the connections of all contacts, of all profiles."""
    def list_events(self, *, cursor: str | None=None, timeout: int | None=None, limit: int | None=None, types: list[g.EventType] | None=None, users: list[int] | None=None, chats: list[str] | None=None) -> g.EventPage:
        """Get events after a cursor, as one page or as a stream."""
    def create_event_ticket(self, body: g.CreateEventTicketRequest | None=None) -> g.CreateEventTicketResponse:
        """Create a ticket."""
    def receive_file(self, user_id: int, file_id: int, body: g.ReceiveFileRequest | None=None) -> g.ReceiveFileResponse:
        """Receive a file that was offered."""
    def set_file_auto_receive(self, user_id: int, file_id: int, body: g.SetFileAutoReceiveRequest | None=None) -> g.CmdOkResponse:
        """Receive a file at the next start of the store."""
    def cancel_file(self, user_id: int, file_id: int) -> g.CancelFileResponse:
        """Cancel a file."""
    def upload_standalone_file(self, user_id: int, body: g.UploadStandaloneFileRequest, *, prefer: str | None=None) -> g.UploadStandaloneFileResponse:
        """Upload a file that everybody with its link can download."""
    def download_standalone_file(self, user_id: int, body: g.DownloadStandaloneFileRequest) -> g.RcvStandaloneFileCreatedResponse:
        """Download the file behind a link."""
    def read_standalone_file_info(self, body: g.ReadStandaloneFileInfoRequest) -> g.StandaloneFileInfoResponse:
        """Get the data that the creator of a file link has put into the link."""
    def list_file_sizes(self, user_id: int, *, limit: int | None=None, cursor: str | None=None) -> g.ListFileSizesResponse:
        """Sizes of the files by chat, the largest first."""
    def get_chat_files(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None) -> g.ChatFiles:
        """The number and the size of the files of a chat."""
    def delete_chat_files(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None) -> g.DeletedFiles:
        """Delete the files of a chat, and keep its messages."""
    def list_groups(self, user_id: int, *, search: str | None=None, contact_id: int | None=None, limit: int | None=None, cursor: str | None=None, fields: list[str] | None=None) -> g.GroupsListResponse:
        """The groups of a profile."""
    def create_group(self, user_id: int, body: g.CreateGroupRequest) -> g.GroupCreatedResponse:
        """Create a group."""
    def get_group(self, user_id: int, group_id: int) -> g.GroupInfoResponse:
        """A group."""
    def update_group(self, user_id: int, group_id: int, body: g.UpdateGroupRequest, *, if_match: str | None=None) -> g.UpdateGroupResponse:
        """Change a group or a channel by a merge patch."""
    def list_members(self, user_id: int, group_id: int, *, limit: int | None=None, cursor: str | None=None) -> g.GroupMembersResponse:
        """The members of a group, without the user."""
    def invite_member(self, user_id: int, group_id: int, body: g.InviteMemberRequest) -> g.SentGroupInvitationResponse:
        """Invite a contact, or change the role in an invitation that is not accepted yet."""
    def remove_members(self, user_id: int, group_id: int, *, member_ids: list[int], with_messages: bool | None=None) -> g.UserDeletedMembersResponse:
        """Remove members, or withdraw their invitations."""
    def set_members_role(self, user_id: int, group_id: int, body: g.SetMembersRoleRequest) -> g.MembersRoleUserResponse:
        """Change the role of members."""
    def set_members_blocked(self, user_id: int, group_id: int, body: g.SetMembersBlockedRequest) -> g.MembersBlockedForAllUserResponse:
        """Block members for all, or unblock them."""
    def get_member(self, user_id: int, group_id: int, group_member_id: int) -> g.GroupMemberInfoResponse:
        """A member, with the servers of the connection to it."""
    def update_member(self, user_id: int, group_id: int, group_member_id: int, body: g.UpdateMemberRequest, *, if_match: str | None=None) -> g.GroupMemberInfoResponse:
        """Change a member of a group by a merge patch."""
    def accept_member(self, user_id: int, group_id: int, group_member_id: int, body: g.AcceptMemberRequest) -> g.MemberAcceptedResponse:
        """Accept a member who waits for a review."""
    def delete_member_support_chat(self, user_id: int, group_id: int, group_member_id: int) -> g.MemberSupportChatDeletedResponse:
        """Delete the chat of a member with the moderators."""
    def join_group(self, user_id: int, group_id: int) -> g.UserAcceptedGroupSentResponse:
        """Accept the invitation to a group."""
    def prepare_group(self, user_id: int, body: g.PrepareGroupRequest) -> g.NewPreparedChatResponse:
        """Open the chat of a group from its link, without joining yet."""
    def join_prepared_group(self, user_id: int, group_id: int, body: g.JoinPreparedGroupRequest | None=None) -> g.StartedConnectionToGroupResponse:
        """Ask to join a prepared group."""
    def refresh_group_link_data(self, user_id: int, group_id: int) -> g.GroupInfoResponse:
        """Update a channel from its link."""
    def allow_channel_relay(self, user_id: int, group_id: int) -> g.RelayGroupAllowedResponse:
        """Allow owners to ask a chat relay again to serve a channel that it has left."""
    def get_group_link(self, user_id: int, group_id: int) -> g.GroupLinkResponse:
        """The link of a group."""
    def create_group_link(self, user_id: int, group_id: int, body: g.CreateGroupLinkRequest) -> g.GroupLinkCreatedResponse:
        """Create the link of a group."""
    def update_group_link(self, user_id: int, group_id: int, body: g.UpdateGroupLinkRequest) -> g.GroupLinkResponse:
        """Set the role of people who join by the link from now on."""
    def delete_group_link(self, user_id: int, group_id: int) -> g.GroupLinkDeletedResponse:
        """Delete the link of a group."""
    def create_group_short_link(self, user_id: int, group_id: int) -> g.GroupLinkResponse:
        """Give the link of a group a short form, or replace the profile behind it."""
    def leave_group(self, user_id: int, group_id: int) -> g.LeftMemberUserResponse:
        """Leave a group."""
    def enable_member(self, user_id: int, group_id: int, group_member_id: int) -> g.CmdOkResponse:
        """Use a member's connection again after failures."""
    def create_member_contact(self, user_id: int, group_id: int, group_member_id: int) -> g.NewMemberContactResponse:
        """Make a member a contact, to send direct messages."""
    def send_contact_invitation(self, user_id: int, contact_id: int, body: g.SendContactInvitationRequest | None=None) -> g.NewMemberContactSentInvResponse:
        """Invite a member to be a contact, with a first message."""
    def accept_contact_invitation(self, user_id: int, contact_id: int) -> g.MemberContactAcceptedResponse:
        """Accept the invitation of a member to become a contact."""
    def create_channel(self, user_id: int, body: g.CreateChannelRequest) -> g.CreateChannelResponse:
        """Create a channel, and invite relays to serve it."""
    def list_channel_relays(self, user_id: int, group_id: int) -> g.GroupRelaysResponse:
        """The relays of a channel that the user owns, with the progress of each."""
    def add_channel_relays(self, user_id: int, group_id: int, body: g.AddChannelRelaysRequest) -> g.AddChannelRelaysResponse:
        """Invite more relays to serve a channel."""
    def get_current_key(self) -> g.GetCurrentKeyResponse:
        """The rights of the key of the request."""
    def list_keys(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListKeysResponse:
        """The keys of the store, without their secrets."""
    def create_key(self, body: g.CreateKeyRequest) -> g.NewAPIKey:
        """Make a key."""
    def get_key(self, key_id: str) -> g.APIKey:
        """One key, without its secret."""
    def delete_key(self, key_id: str, *, unclaimed: bool | None=None) -> None:
        """Revoke a key."""
    def rotate_key(self, key_id: str, body: g.RotateKeyRequest | None=None) -> g.NewAPIKey:
        """Give a key a new secret."""
    def start_core(self, body: g.StartCoreRequest | None=None) -> g.StartCoreResponse:
        """Start the core: connect to relays, send and receive."""
    def get_core_state(self) -> g.GetCoreStateResponse:
        """Whether the core is running."""
    def stop_core(self) -> g.ChatStoppedResponse:
        """Stop the core."""
    def set_file_paths(self, body: g.SetFilePathsRequest) -> g.CmdOkResponse:
        """Set the folders for files, temporary files and assets."""
    def set_local_file_encryption(self, body: g.SetLocalFileEncryptionRequest) -> g.CmdOkResponse:
        """Set whether local files are encrypted."""
    def list_operations(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListOperationsResponse:
        """The operations, the last one first."""
    def get_operation(self, operation_id: str) -> g.LongOperation:
        """One operation, with its state, progress and result."""
    def cancel_operation(self, operation_id: str) -> g.LongOperation:
        """Cancel an operation that can end without an effect."""
    def list_chats(self, user_id: int, *, pending_connections: bool | None=None, limit: int | None=None, cursor: str | None=None, search: str | None=None, favorite: bool | None=None, unread: bool | None=None, fields: list[str] | None=None) -> g.ApiChatsResponse:
        """The chat list of a profile, with previews and counts."""
    def get_chat(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None, limit: int | None=None, cursor: str | None=None, around: int | None=None, initial: bool | None=None, search: str | None=None, content_type: Literal['text', 'link', 'image', 'video', 'voice', 'file', 'report', 'chat'] | None=None, direction: Literal['sent', 'received'] | None=None, sender: int | None=None, since: str | None=None, fields: list[str] | None=None) -> g.ApiChatResponse:
        """A chat with a page of its items."""
    def update_chat(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.UpdateChatRequest, *, if_match: str | None=None) -> g.ApiChatResponse:
        """Change the settings and marks of a chat by a merge patch."""
    def delete_chat(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None, mode: Literal['full', 'entity', 'messages'] | None=None, notify: bool | None=None) -> g.DeleteChatResponse:
        """Delete a chat, its contact, or its messages."""
    def list_content_types(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None) -> g.ChatContentTypesResponse:
        """The kinds of content that a chat contains."""
    def list_messages(self, user_id: int, *, limit: int | None=None, cursor: str | None=None, around: int | None=None, initial: bool | None=None, search: str | None=None, content_type: Literal['text', 'link', 'image', 'video', 'voice', 'file', 'report', 'chat'] | None=None, direction: Literal['sent', 'received'] | None=None, sender: int | None=None, since: str | None=None, fields: list[str] | None=None) -> g.ChatItemsResponse:
        """Items of all chats, optionally those that contain a text."""
    def get_message(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, item_id: int, *, scope: str | None=None) -> g.ChatItemInfoResponse:
        """The details of an item: versions, deliveries, origin."""
    def update_message(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, item_id: int, body: g.UpdateMessageRequest, *, scope: str | None=None) -> g.UpdateMessageResponse:
        """Change a message that was sent."""
    def send_messages(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.SendMessagesRequest, *, scope: str | None=None, wait: Literal['none', 'sent', 'delivered'] | None=None, timeout: int | None=None, fields: Literal['all', 'ids'] | None=None) -> g.NewChatItemsResponse:
        """Send messages to a chat."""
    def delete_messages(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None, item_ids: list[int], mode: Literal['broadcast', 'internal', 'internalMark', 'history'] | None=None) -> g.ChatItemsDeletedResponse:
        """Delete a message or several, for oneself or for both sides."""
    def get_message_trace(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, item_id: int, *, scope: str | None=None, limit: int | None=None, cursor: str | None=None) -> g.MessageTraceResponse:
        """The life of a message: its steps, with their times."""
    def change_reaction(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, item_id: int, body: g.ChangeReactionRequest, *, scope: str | None=None) -> g.ChatItemReactionResponse:
        """React to an item, or take the reaction back."""
    def plan_forward(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.PlanForwardRequest, *, scope: str | None=None) -> g.ForwardPlanResponse:
        """Check which items can be forwarded."""
    def forward_messages(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.ForwardMessagesRequest, *, scope: str | None=None) -> g.NewChatItemsResponse:
        """Forward items to a chat."""
    def mark_chat_read(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, scope: str | None=None) -> g.MarkChatReadResponse:
        """Mark all items of a chat as read."""
    def mark_messages_read(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.MarkMessagesReadRequest, *, scope: str | None=None) -> g.ItemsReadForChatResponse:
        """Mark some items of a chat as read."""
    def create_channel_card(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.CreateChannelCardRequest, *, scope: str | None=None) -> g.ChatMsgContentResponse:
        """Get message content for a card of a channel."""
    def create_address_card(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.CreateAddressCardRequest | None=None, *, scope: str | None=None) -> g.ChatMsgContentResponse:
        """Create a message content that shows the user's address to this contact."""
    def moderate_messages(self, user_id: int, group_id: int, body: g.ModerateMessagesRequest) -> g.ChatItemsDeletedResponse:
        """Delete messages of other members for everybody."""
    def report_message(self, user_id: int, group_id: int, item_id: int, body: g.ReportMessageRequest) -> g.NewChatItemsResponse:
        """Report a message to the moderators of its group."""
    def archive_reports(self, user_id: int, group_id: int) -> g.GroupChatItemsDeletedResponse:
        """Mark all received reports of a group as handled."""
    def delete_reports(self, user_id: int, group_id: int, *, item_ids: list[int], mode: Literal['broadcast', 'internal', 'internalMark', 'history'] | None=None) -> g.ChatItemsDeletedResponse:
        """Delete received reports, for oneself or for all moderators."""
    def list_reaction_members(self, user_id: int, group_id: int, item_id: int, *, emoji: str, limit: int | None=None, cursor: str | None=None) -> g.ReactionMembersResponse:
        """The members who reacted to an item with an emoji."""
    def read_link_preview(self, user_id: int, body: g.ReadLinkPreviewRequest) -> g.ReadLinkPreviewResponse:
        """Read a linked page for its preview card."""
    def get_model(self, user_id: int, *, limit: int | None=None) -> g.ModelSnapshot:
        """The state of a profile, as an app keeps it in memory."""
    def list_model_chats(self, user_id: int, *, cursor: str | None=None, limit: int | None=None) -> g.ModelChatPage:
        """A page of the chat list of a state."""
    def list_model_changes(self, user_id: int, *, cursor: str | None=None, timeout: int | None=None, limit: int | None=None) -> g.ModelChangePage:
        """Get changes of the state after a cursor, as JSON Patches (RFC 6902), in one page or as a stream."""
    def get_draft(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int) -> g.ComposeState:
        """The draft of a message in a chat."""
    def set_draft(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, body: g.ComposeState, *, if_match: str | None=None) -> None:
        """g.Store a draft of a message, for all clients of the profile."""
    def delete_draft(self, user_id: int, chat_type: Literal['direct', 'group', 'local', 'contactConnection'], chat_id: int, *, if_match: str | None=None) -> None:
        """Delete a draft."""
    def list_sessions(self, user_id: int, *, limit: int | None=None, cursor: str | None=None) -> g.ListSessionsResponse:
        """The sessions of the profile, the oldest first."""
    def open_session(self, user_id: int) -> g.SessionSnapshot:
        """Create a session: the view of one client."""
    def get_session(self, user_id: int, session_id: str) -> g.SessionSnapshot:
        """A session: the view of one client, with its open chat and the loaded items."""
    def close_session(self, user_id: int, session_id: str) -> None:
        """End the session."""
    def list_session_changes(self, user_id: int, session_id: str, *, cursor: str | None=None, timeout: int | None=None, limit: int | None=None) -> g.ModelChangePage:
        """Get changes of the session after a cursor, as JSON Patches, in one page or as a stream."""
    def open_session_chat(self, user_id: int, session_id: str, body: g.OpenSessionChatRequest) -> g.SessionSnapshot:
        """Open a chat at its last items, or around one item."""
    def close_session_chat(self, user_id: int, session_id: str) -> g.SessionSnapshot:
        """Close the open chat."""
    def open_secondary_list(self, user_id: int, session_id: str, body: g.OpenSecondaryListRequest) -> g.SessionSnapshot:
        """Open a second list of items of the open chat: a conversation with members in a group, or one kind of content."""
    def close_secondary_list(self, user_id: int, session_id: str) -> g.SessionSnapshot:
        """Close the second list."""
    def load_session_messages(self, user_id: int, session_id: str, body: g.LoadSessionMessagesRequest | None=None) -> g.SessionSnapshot:
        """Load another page into the session; without a position, the last page."""
    def load_session_members(self, user_id: int, session_id: str) -> g.SessionSnapshot:
        """Load the members of the open group into the session."""
    def set_session_filter(self, user_id: int, session_id: str, body: g.ActiveFilter) -> g.SessionSnapshot:
        """Set the filter of the chat list in this session."""
    def delete_session_filter(self, user_id: int, session_id: str) -> g.SessionSnapshot:
        """Remove the filter, so that all chats are shown."""
    def send_alertmanager_notice(self, body: g.AlertmanagerNotice, *, chat: str | None=None, user_id: int | None=None) -> g.SentNotice:
        """Send alerts of Alertmanager to a chat."""
    def send_grafana_notice(self, body: g.GrafanaNotice, *, chat: str | None=None, user_id: int | None=None) -> g.SentNotice:
        """Send alerts of Grafana to a chat."""
    def send_ntfy_notice(self, body: g.NtfyNotice, *, chat: str | None=None, user_id: int | None=None) -> g.SentNotice:
        """Send a message of a program for ntfy to a chat."""
    def send_gotify_notice(self, body: g.GotifyNotice, *, chat: str | None=None, user_id: int | None=None) -> g.SentNotice:
        """Send a message of a program for Gotify to a chat."""
    def send_gotify_message(self, body: g.GotifyNotice, *, chat: str | None=None, user_id: int | None=None) -> g.SentNotice:
        """Send a message of a program for Gotify to a chat."""
    def get_open_api(self) -> dict[str, Any]:
        """This contract."""
    def get_typed_open_api(self) -> dict[str, Any]:
        """The same contract in the form of OpenAPI 3.2, with the types of entries in streams and of unknown cases."""
    def get_async_api(self) -> dict[str, Any]:
        """The streams of this contract, in the format of AsyncAPI."""
    def get_web_client_file(self, version: str, file: str) -> dict[str, Any]:
        """A module, style or picture of the web client."""
    def create_backup(self, body: g.CreateBackupRequest, *, prefer: str | None=None) -> g.CreateBackupResponse | g.LongOperation:
        """Copy the whole data folder, or one store, while everything runs."""
    def get_index(self) -> g.GetIndexResponse:
        """The versions, the limits and the entrances of the gateway."""
    def set_device_name(self, body: g.SetDeviceNameRequest) -> g.CmdOkResponse:
        """Set the name that other devices show for this one."""
    def connect_controller(self, body: g.ConnectControllerRequest) -> g.RemoteCtrlConnectingResponse:
        """Connect to a desktop by its link."""
    def find_controller(self) -> g.CmdOkResponse:
        """Look for a known desktop in the local network."""
    def list_controllers(self) -> g.RemoteCtrlListResponse:
        """The known desktops, and the state of the session with one of them."""
    def delete_controller(self, remote_ctrl_id: int) -> g.CmdOkResponse:
        """Forget a desktop."""
    def confirm_controller(self, remote_ctrl_id: int) -> g.RemoteCtrlConnectingResponse:
        """Connect to the desktop that was found."""
    def verify_controller_session(self, body: g.VerifyControllerSessionRequest) -> g.RemoteCtrlConnectedResponse:
        """Confirm that both devices show the same code, which begins the session."""
    def get_controller_session(self) -> g.RemoteCtrlSessionStatus:
        """The state of the session with a desktop, and the reason why the last session ended."""
    def stop_controller_session(self) -> g.CmdOkResponse:
        """End the session with a desktop, or stop connecting or searching."""
    def list_remote_hosts(self, *, limit: int | None=None, cursor: str | None=None) -> g.RemoteHostListResponse:
        """The known phones, and the states of their sessions."""
    def start_remote_host_session(self, body: g.StartRemoteHostSessionRequest | None=None) -> g.RemoteHostStartedResponse:
        """Offer a session to a phone."""
    def delete_remote_host(self, remote_host_id: int) -> g.CmdOkResponse:
        """Forget a phone, and delete its files on this machine."""
    def get_remote_host_session(self, remote_host_id: str) -> g.RemoteHostSessionStatus:
        """The state of the session with a phone, and the reason why the last session ended."""
    def stop_remote_host_session(self, remote_host_id: str) -> g.CmdOkResponse:
        """End the session with a phone, or withdraw an offered session."""
    def store_remote_host_file(self, remote_host_id: int, body: g.StoreRemoteHostFileRequest) -> g.RemoteFileStoredResponse:
        """Send a file to a phone, for a message there."""
    def fetch_remote_host_file(self, remote_host_id: int, body: g.FetchRemoteHostFileRequest) -> g.CmdOkResponse:
        """Fetch a file of a phone's message into the folder for the phone."""
    def list_scheduled_messages(self, user_id: int, *, limit: int | None=None, cursor: str | None=None) -> g.ListScheduledMessagesResponse:
        """Scheduled messages of a profile, the newest first."""
    def schedule_messages(self, user_id: int, body: g.ScheduleMessagesRequest) -> g.ScheduledMessage:
        """Send messages to a chat at a time, or when it is connected."""
    def get_scheduled_message(self, user_id: int, scheduled_id: int) -> g.ScheduledMessage:
        """A scheduled message, with its state or its result."""
    def update_scheduled_message(self, user_id: int, scheduled_id: int, body: g.UpdateScheduledMessageRequest, *, if_match: str | None=None) -> g.ScheduledMessage:
        """Change a message that waits, by a merge patch."""
    def cancel_scheduled_message(self, user_id: int, scheduled_id: int) -> None:
        """Cancel a scheduled message."""
    def get_contact_code(self, user_id: int, contact_id: int) -> g.ContactCodeResponse:
        """The security code of a contact: equal on both sides unless the connection is intercepted."""
    def verify_contact(self, user_id: int, contact_id: int, body: g.VerifyContactRequest | None=None) -> g.ConnectionVerifiedResponse:
        """Compare the code that the contact sees."""
    def sync_contact_encryption(self, user_id: int, contact_id: int, body: g.SyncContactEncryptionRequest | None=None) -> g.ContactRatchetSyncStartedResponse:
        """Renegotiate the encryption with a contact when messages do not decrypt; with `force`, in any case."""
    def switch_contact_queue(self, user_id: int, contact_id: int) -> g.ContactSwitchStartedResponse:
        """Receive from a contact over a new queue, at another relay if there is one."""
    def abort_contact_queue_switch(self, user_id: int, contact_id: int) -> g.ContactSwitchAbortedResponse:
        """Stop the change, and keep the old queue."""
    def get_member_code(self, user_id: int, group_id: int, group_member_id: int) -> g.GroupMemberCodeResponse:
        """The security code of a member: equal on both sides unless the connection is intercepted."""
    def verify_member(self, user_id: int, group_id: int, group_member_id: int, body: g.VerifyMemberRequest | None=None) -> g.ConnectionVerifiedResponse:
        """Compare the code that the member sees."""
    def sync_member_encryption(self, user_id: int, group_id: int, group_member_id: int, body: g.SyncMemberEncryptionRequest | None=None) -> g.GroupMemberRatchetSyncStartedResponse:
        """Renegotiate the encryption with a member when messages do not decrypt; with `force`, in any case."""
    def switch_member_queue(self, user_id: int, group_id: int, group_member_id: int) -> g.GroupMemberSwitchStartedResponse:
        """Receive from a member over a new queue, at another relay if there is one."""
    def abort_member_queue_switch(self, user_id: int, group_id: int, group_member_id: int) -> g.GroupMemberSwitchAbortedResponse:
        """Stop the change, and keep the old queue."""
    def list_server_operators(self) -> g.ServerOperatorConditionsResponse:
        """Get the operators of servers, and the accepted conditions of use."""
    def set_server_operators(self, body: g.SetServerOperatorsRequest, *, if_match: str | None=None) -> g.ServerOperatorConditionsResponse:
        """Enable or disable operators, and set the uses of their servers."""
    def list_servers(self, user_id: int) -> g.UserServersResponse:
        """Get a profile's servers by operator."""
    def set_servers(self, user_id: int, body: g.SetServersRequest, *, if_match: str | None=None) -> g.CmdOkResponse:
        """Set a profile's servers."""
    def validate_servers(self, user_id: int, body: g.ValidateServersRequest) -> g.UserServersValidationResponse:
        """Validate a list of servers without setting it."""
    def get_usage_conditions(self) -> g.UsageConditionsResponse:
        """Get the current conditions of the preset operators, and the conditions that were accepted last."""
    def accept_usage_conditions(self, conditions_id: int, body: g.AcceptUsageConditionsRequest) -> g.ServerOperatorConditionsResponse:
        """Accept conditions for some operators."""
    def mark_usage_conditions_shown(self, conditions_id: int) -> g.CmdOkResponse:
        """Remember that conditions were shown."""
    def test_server(self, user_id: int, body: g.TestServerRequest) -> g.ServerTestResultResponse:
        """Test a server by using it."""
    def test_chat_relay(self, user_id: int, body: g.TestChatRelayRequest) -> g.ChatRelayTestResultResponse:
        """Test a chat relay by its address."""
    def get_app_settings(self, *, settings: str | None=None) -> g.AppSettingsResponse:
        """Get the settings of an app: stored values, and defaults for the others."""
    def set_app_settings(self, body: g.AppSettings, *, if_match: str | None=None) -> g.CmdOkResponse:
        """g.Store the settings of an app."""
    def get_user_ttl(self, user_id: int) -> g.ChatItemTTLResponse:
        """Get the number of seconds for which items are kept; 0 keeps them forever."""
    def set_contact_merge(self, body: g.SetContactMergeRequest) -> g.CmdOkResponse:
        """Set whether contacts that prove to be the same person are merged."""
    def get_network_settings(self) -> g.NetworkConfigResponse:
        """The network settings."""
    def update_network_settings(self, body: g.UpdateNetworkSettingsRequest, *, if_match: str | None=None) -> g.NetworkConfigResponse:
        """Change the network settings by a merge patch."""
    def reconnect_servers(self) -> g.CmdOkResponse:
        """Replace all sessions with relays."""
    def reconnect_server(self, user_id: int, body: g.ReconnectServerRequest) -> g.CmdOkResponse:
        """Replace the sessions of a user with one relay."""
    def restore_store(self, body: g.RestoreStoreRequest, *, prefer: str | None=None) -> g.Store | g.LongOperation:
        """Restore a store from its copy, while everything runs."""
    def list_stores(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListStoresResponse:
        """All stores."""
    def create_store(self, body: g.CreateStoreRequest) -> g.CreateStoreResponse:
        """Make a store, and the key of its administrator."""
    def get_store(self, store_id: str) -> g.Store:
        """One store."""
    def delete_store(self, store_id: str) -> None:
        """Delete a store with all its data."""
    def lock_store(self, store_id: str) -> g.Store:
        """Lock a store."""
    def move_store(self, store_id: str, body: g.MoveStoreRequest, *, prefer: str | None=None) -> g.Store | g.LongOperation:
        """Move a store to another node."""
    def list_nodes(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListNodesResponse:
        """The running nodes that share the stores."""
    def rebalance_node(self, node: str, body: g.RebalanceNodeRequest | None=None) -> g.RebalanceNodeResponse:
        """Move open stores of a node to other nodes, for example all before its restart."""
    def get_store_limits(self, store_id: str) -> g.StoreLimits:
        """The limits of a store, and the amounts that it holds."""
    def set_store_limits(self, store_id: str, body: g.SetStoreLimitsRequest, *, if_match: str | None=None) -> g.StoreLimits:
        """Set the limits of a store."""
    def unlock_store(self, store_id: str, body: g.UnlockStoreRequest | None=None) -> g.Store:
        """Unlock a store."""
    def set_app_password(self, store_id: str, body: g.SetAppPasswordRequest) -> None:
        """Set or change the app password of an unlocked store."""
    def delete_app_password(self, store_id: str, *, current_password: str) -> None:
        """Remove the app password, and the self-destruct password with it."""
    def set_self_destruct_password(self, store_id: str, body: g.SetSelfDestructPasswordRequest) -> None:
        """Set or change the self-destruct password of an unlocked store."""
    def delete_self_destruct_password(self, store_id: str, *, current_password: str) -> None:
        """Remove the self-destruct password."""
    def list_tags(self, user_id: int) -> g.ChatTagsResponse:
        """The tags of a profile, in the order of the user."""
    def create_tag(self, user_id: int, body: g.CreateTagRequest) -> g.ChatTagsResponse:
        """Create a tag."""
    def set_tag_order(self, user_id: int, body: g.SetTagOrderRequest) -> g.CmdOkResponse:
        """Change the order of tags."""
    def set_tag(self, user_id: int, tag_id: int, body: g.SetTagRequest) -> g.CmdOkResponse:
        """Replace the text and the emoji of a tag."""
    def delete_tag(self, user_id: int, tag_id: int) -> g.CmdOkResponse:
        """Delete a tag, and remove it from its chats."""
    def get_upload(self, user_id: int, upload_id: str) -> g.FileUpload:
        """Get the progress of an upload; also with HEAD."""
    def cancel_upload(self, user_id: int, upload_id: str) -> None:
        """Delete an incomplete upload."""
    def get_active_user(self) -> g.ActiveUserResponse:
        """The active user (profile)."""
    def activate_hidden_user(self, body: g.ActivateHiddenUserRequest) -> g.ActiveUserResponse:
        """Make the hidden user (profile) with this password the active one."""
    def list_users(self, *, limit: int | None=None, cursor: str | None=None) -> g.UsersListResponse:
        """The visible users (profiles), with unread counts."""
    def create_user(self, body: g.CreateUserRequest) -> g.ActiveUserResponse:
        """Create a user (profile), and make it the active one unless `activate` is false."""
    def activate_user(self, user_id: int, body: g.ActivateUserRequest | None=None) -> g.ActiveUserResponse:
        """Make a user (profile) the active one."""
    def hide_user(self, user_id: int, body: g.HideUserRequest) -> g.UserPrivacyResponse:
        """Hide a profile with a password."""
    def unhide_user(self, user_id: int, body: g.UnhideUserRequest) -> g.UserPrivacyResponse:
        """Show a hidden user (profile) again."""
    def get_user(self, user_id: int) -> g.GetUserResponse:
        """One user (profile)."""
    def update_user(self, user_id: int, body: g.UpdateUserRequest, *, if_match: str | None=None) -> g.GetUserResponse:
        """Change a user (profile) by a merge patch."""
    def delete_user(self, user_id: int, *, del_smp_queues: bool | None=None, current_password: str | None=None) -> g.CmdOkResponse:
        """Delete a user (profile) with all its chats."""
    def set_user_profile(self, user_id: int, body: g.SetUserProfileRequest, *, if_match: str | None=None) -> g.SetUserProfileResponse:
        """Replace the user's profile, and send the new profile to contacts."""
    def set_user_badge(self, user_id: int, body: g.SetUserBadgeRequest) -> g.CmdOkResponse:
        """Set the user's badge of a supporter, and send it to contacts."""
    def set_all_receipts(self, body: g.SetAllReceiptsRequest) -> g.CmdOkResponse:
        """Set whether receipts are sent, for all users."""
    def mark_user_read(self, user_id: int) -> g.CmdOkResponse:
        """Mark all chats of a user as read."""
    def list_push_subscriptions(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListPushSubscriptionsResponse:
        """The push subscriptions of the store."""
    def create_push_subscription(self, body: g.CreatePushSubscriptionRequest) -> g.PushSubscription:
        """Subscribe a browser to notifications."""
    def get_push_key(self) -> g.GetPushKeyResponse:
        """The key with which the store identifies itself to push services (VAPID, RFC 8292)."""
    def get_push_subscription(self, subscription_id: str) -> g.PushSubscription:
        """One push subscription."""
    def update_push_subscription(self, subscription_id: str, body: g.UpdatePushSubscriptionRequest, *, if_match: str | None=None) -> g.PushSubscription:
        """Change the notifications of a browser."""
    def delete_push_subscription(self, subscription_id: str) -> None:
        """Delete a push subscription."""
    def test_push_subscription(self, subscription_id: str) -> g.WebhookDelivery:
        """Send a notification of the type `test`, once, and wait for the answer of the push service."""
    def list_webhooks(self, *, limit: int | None=None, cursor: str | None=None) -> g.ListWebhooksResponse:
        """The webhooks of the store, without their secrets."""
    def create_webhook(self, body: g.CreateWebhookRequest) -> g.NewWebhook:
        """Have events posted to a URL."""
    def get_webhook(self, webhook_id: str) -> g.Webhook:
        """One webhook, without its secret."""
    def update_webhook(self, webhook_id: str, body: g.UpdateWebhookRequest, *, if_match: str | None=None) -> g.Webhook:
        """Change, pause or continue a webhook."""
    def delete_webhook(self, webhook_id: str) -> None:
        """Delete a webhook."""
    def rotate_webhook(self, webhook_id: str, body: g.RotateWebhookRequest | None=None) -> g.NewWebhook:
        """Give a webhook a new secret."""
    def test_webhook(self, webhook_id: str) -> g.WebhookDelivery:
        """Send an event of the type `test`, once, and wait for the answer."""
    def replay_webhook(self, webhook_id: str, body: g.ReplayWebhookRequest) -> g.Webhook:
        """Send events again, or continue from another place."""
    def list_webhook_deliveries(self, webhook_id: str, *, limit: int | None=None, cursor: str | None=None) -> g.ListWebhookDeliveriesResponse:
        """The log of attempts, the newest first."""
