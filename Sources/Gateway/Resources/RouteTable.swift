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

    private static let routesByID = Dictionary(all.map { ($0.operationID, $0) }) { first, _ in first }

    /// Finds the route with this name in the contract.
    static func findRoute(_ operationID: String) -> Route? { routesByID[operationID] }

    /// The paths of probes, such as health checks.
    static let probePaths = Set(all.filter { $0.policy.callers == .probes }.map(\.template))

    /// The parts of paths, such as `/database/archives/`, after which private names follow. The log omits the rest of a
    /// path after one of these parts. It looks for them in every path, because a request with a wrong method has no
    /// route, and a path for a phone contains the path at the phone.
    static let privatePathParts = Set(
        all.filter { $0.policy.loggedPath == .withoutParameters }.map {
            $0.template.dropFirst("/v1".count).prefix { $0 != "{" }
        }
    ).map(String.init)
}
