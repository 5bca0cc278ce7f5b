/// All routes of the HTTP interface.
package enum RouteTable {
    package static let all: [Route] =
        UsersResource.routes + UsersResource.wallpaperRoutes
        + LifecycleResource.routes
        + MessagesResource.routes + ScheduledMessagesResource.routes + BroadcastsResource.routes
        + NoticesResource.routes
        + ContactsResource.routes
        + GroupsResource.routes
        + TagsResource.routes
        + FilesResource.routes
        + FilesResource.sizeRoutes
        + MessagesResource.traceRoutes
        + WorkersResource.routes
        + CallsResource.routes
        + NotificationsResource.routes
        + SettingsResource.routes
        + DatabaseResource.routes
        + ServersResource.routes
        + RemoteControlResource.routes + RemoteHostsResource.routes
        + DiagnosticsResource.routes
        + AddressResource.routes
        + LinkPicturesResource.routes + LinkPreviewsResource.routes
        + SecurityResource.routes
        + ModelResource.routes + SessionsResource.routes + DocumentsResource.routes
        + StoresResource.routes + NodesResource.routes + KeysResource.routes
        + BackupsResource.routes
        + LogLevelsResource.routes
        + GatewayRoutes.routes + IndexResource.routes + EventsResource.routes + WebhooksResource.routes
        + PushSubscriptionsResource.routes + ConsumersResource.routes
        + LongOperationsResource.routes

    /// The paths of probes, such as health checks.
    static let probePaths = Set(all.filter { $0.policy.callers == .probes }.map(\.template))

    /// The starts of paths whose parameters the log must not contain. The log compares paths with them, because a path
    /// with a wrong method has no route.
    static let privatePathStarts = Set(
        all.filter { $0.policy.loggedPath == .withoutParameters }.map { $0.template.prefix { $0 != "{" } }
    ).map(String.init)
}
