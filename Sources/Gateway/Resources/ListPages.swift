internal import ChatAPI
internal import JSON

/// Division of long lists into parts. Each part except the last has the target of the request for the next part, in the
/// member `next` and in the header field `Link`.
enum ListPages {
    /// The number of additional chats that are read, so that a page can end between chats with different times.
    static let sameMoment = 200

    // MARK: Chats

    /// Returns the newest chats, and a link to earlier chats. Chats with the same time stay in one part, because the
    /// next part begins before a time.
    static func chats(_ response: ChatResponse, _ context: RouteContext) throws(ProblemDetails) -> ListPage {
        guard case .apiChats(let user, let all) = response, context.request.parameter("after") == nil else {
            return ListPage(response: response)
        }
        let count = try context.chatCount()
        guard all.count > count, let last = all[count - 1].moment else { return ListPage(response: response) }
        let part = all.prefix(count) + all.dropFirst(count).prefix { $0.moment == last }
        let next = part.count < all.count ? context.target(with: ["before": last]) : nil
        return ListPage(response: .apiChats(user: user, chats: Array(part)), next: next)
    }

    // MARK: Items

    /// Returns a page of items with the counts of unread items. The core returns these counts only for some pages.
    static func items(_ response: ChatResponse, _ context: RouteContext) async throws(ProblemDetails) -> ListPage {
        guard case .apiChat(let user, var chat, let navigation) = response else { return ListPage(response: response) }
        if case .contactConnection = chat.chatInfo { return ListPage(response: response) }
        if navigation == nil, let principal = context.principal {
            let command = MessageCommand.getChat(
                chat: try context.chat(),
                contentTag: context.parameter("contentTag").map { MsgContentTag(rawValue: $0) },
                pagination: .initial(count: 1),
                search: nil
            )
            if case .result(.apiChat(_, let counted, _)) = await context.services.core.send(
                .messages(command),
                as: try context.id("userId"),
                with: principal.rights,
                claim: nil
            ) {
                chat.chatStats = counted.chatStats
            }
        }
        let ids = chat.chatItems.map(\.meta.itemId)
        return ListPage(response: .apiChat(user: user, chat: chat, navInfo: navigation), next: try next(ids, context))
    }

    static func allItems(_ response: ChatResponse, _ context: RouteContext) throws(ProblemDetails) -> ListPage {
        guard case .chatItems(_, _, let items) = response else { return ListPage(response: response) }
        return ListPage(response: response, next: try next(items.map(\.chatItem.meta.itemId), context))
    }

    /// Returns the target of the next part: earlier items, or later items if the request asks for later items.
    /// - Parameter ids: the ids of the page, the oldest first.
    private static func next(_ ids: [Int64], _ context: RouteContext) throws(ProblemDetails) -> String? {
        let request = context.request
        guard request.parameter("around") == nil, request.parameter("initial") == nil else { return nil }
        let count = Int(try context.number("count", in: 0...1000) ?? 50)
        guard count > 0, ids.count >= count, let first = ids.first, let last = ids.last else { return nil }
        return context.target(with: request.parameter("after") == nil ? ["before": "\(first)"] : ["after": "\(last)"])
    }

    // MARK: Contacts, groups, members

    /// Returns contacts in the order of their ids. With the parameter `name`, returns only contacts with that name.
    static func contacts(_ response: ChatResponse, _ context: RouteContext) throws(ProblemDetails) -> ListPage {
        guard case .contactsList(let user, let all) = response else { return ListPage(response: response) }
        let name = context.parameter("name")
        let named = all.filter { contact in
            // The name in the profile is ignored: the contact chooses it, and several contacts can have the same name.
            name.map { [contact.localDisplayName, contact.profile.localAlias].contains($0) } ?? true
        }
        let (part, next) = try Self.part(of: named, \.contactId, context)
        return ListPage(response: .contactsList(user: user, contacts: part), next: next)
    }

    static func groups(_ response: ChatResponse, _ context: RouteContext) throws(ProblemDetails) -> ListPage {
        guard case .groupsList(let user, let all) = response else { return ListPage(response: response) }
        let (part, next) = try Self.part(of: all, \.groupId, context)
        return ListPage(response: .groupsList(user: user, groups: part), next: next)
    }

    static func members(_ response: ChatResponse, _ context: RouteContext) throws(ProblemDetails) -> ListPage {
        guard case .groupMembers(let user, var group) = response else { return ListPage(response: response) }
        let (part, next) = try Self.part(of: group.members, \.groupMemberId, context)
        group.members = part
        return ListPage(response: .groupMembers(user: user, group: group), next: next)
    }

    /// Returns a part of a list by the parameters `limit` (1000 by default) and `after` (an id).
    private static func part<T>(
        of all: [T],
        _ id: (T) -> Int64,
        _ context: RouteContext
    ) throws(ProblemDetails) -> ([T], String?) {
        let limit = Int(try context.number("limit", in: 1...5000) ?? 1000)
        let after = try context.number("after", in: 0...Int64.max) ?? 0
        let rest = all.filter { id($0) > after }.sorted { id($0) < id($1) }
        let part = Array(rest.prefix(limit))
        guard rest.count > limit, let last = part.last else { return (part, nil) }
        return (part, context.target(with: ["after": "\(id(last))"]))
    }

    /// Checks the parameters of a list before its command runs.
    static func ask(_ context: RouteContext, name: Bool = false) throws(ProblemDetails) {
        _ = try context.number("limit", in: 1...5000)
        _ = try context.number("after", in: 0...Int64.max)
        if name { _ = context.parameter("name") }
    }
}

extension AChat {
    /// The time by which the chat list is ordered.
    fileprivate var moment: UTCTime? {
        switch chatInfo {
        case .direct(let contact): contact.chatTs ?? contact.updatedAt
        case .group(let group, _): group.chatTs ?? group.updatedAt
        case .local(let folder): folder.chatTs
        case .contactRequest(let request): request.updatedAt
        case .contactConnection(let connection): connection.updatedAt
        case .invalidJSON, .unrecognized: nil
        }
    }
}

extension RouteContext {
    /// Returns the target of this request with other parameters.
    fileprivate func target(with changed: [String: String]) -> String {
        let kept = request.query.filter { changed[$0.name] == nil && $0.name != "ticket" }
        let query = (kept + changed.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
            .map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
        return request.path + "?" + query.joined(separator: "&")
    }
}
