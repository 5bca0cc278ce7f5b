/// Every operation of the interface.
public enum RouteTable {
    public static let all: [Route] =
        Users.routes
        + Lifecycle.routes
        + Messages.routes
        + Contacts.routes
        + Groups.routes
        + Tags.routes
        + Files.routes
        + Calls.routes
        + Notifications.routes
        + Settings.routes
        + Database.routes
        + Servers.routes
        + Themes.routes
        + RemoteControl.routes + RemoteHosts.routes
        + Diagnostics.routes
        + Address.routes
        + LinkPictures.routes + LinkPreviews.routes
        + Security.routes
        + Model.routes + Sessions.routes
        + Stores.routes + Keys.routes
        + Backups.routes
        + LogLevels.routes
        + Operations.routes + Events.routes + Webhooks.routes + PushSubscriptions.routes
}
