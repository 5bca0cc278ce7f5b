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
}
