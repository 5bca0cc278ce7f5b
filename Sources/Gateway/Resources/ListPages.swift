internal import ChatAPI
internal import ChatCore
internal import ChatModel

/// Selects pages of the lists that the core reads.
enum ListPages {
    // MARK: Chats

    /// Returns a page of chats, the chat with the latest activity first. The core selects chats only by their times. So
    /// its answer may lack chats that have the same time as the last chat of the answer (the first chat for a previous
    /// page). If the page needs these chats, more chats are read.
    static func selectChats(
        _ response: ChatResponse,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        let page = try context.parseChatPage()
        let goesBack = page.cursor?.direction == .prev
        var (response, count) = (response, page.firstReadChatCount)
        while case .apiChats(let user, let read) = response {
            let isWhole = read.count < count
            let edge = (goesBack ? read.first : read.last)?.activityTime
            var found = (isWhole ? read : read.filter { $0.activityTime != edge }).map {
                (place: $0.listPlace, chat: $0)
            }
            found.sort { $0.place < $1.place }
            if let cursor = page.cursor {
                found.removeAll { goesBack ? $0.place >= cursor.place : $0.place <= cursor.place }
            }
            if isWhole || found.count > page.limit {
                let goesOn = found.count > page.limit
                let part = goesBack ? found.suffix(page.limit) : found.prefix(page.limit)
                let ends = page.makeCursors(
                    part.first?.place,
                    part.last?.place,
                    hasPrev: goesBack ? goesOn : page.cursor != nil,
                    hasNext: goesBack || goesOn
                )
                return (.apiChats(user: user, chats: part.map(\.chat)), ends)
            }
            count *= 2
            response = try await context.runMessageCommand(context.makeChatsCommand(page, count: count))
        }
        throw ProblemDetails(.internalError)
    }

    // MARK: Messages

    /// Returns a page of messages with the counts of unread messages. The core returns these counts only for some
    /// pages.
    static func selectItems(
        _ response: ChatResponse,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .apiChat(let user, var chat, let navigation) = response else { return (response, PageCursors()) }
        if case .contactConnection = chat.chatInfo { return (response, PageCursors()) }
        if navigation == nil,
            case .apiChat(_, let counted, _)? = try? await context.runMessageCommand(
                context.makeItemsCommand(.initial(count: 1), search: nil)
            )
        {
            chat.chatStats = counted.chatStats
        }
        let isGroup = if case .group = chat.chatInfo { true } else { false }
        let (items, ends) = try await selectMessages(chat.chatItems, context) { item in
            ListPlace(item.meta, isGroup ? item.meta.itemTs : item.meta.createdAt)
        } isMore: { pagination async throws(ProblemDetails) in
            guard
                case .apiChat(_, let more, _) = try await context.runMessageCommand(
                    context.makeItemsCommand(pagination)
                )
            else {
                return false
            }
            return !more.chatItems.isEmpty
        }
        chat.chatItems = items
        return (.apiChat(user: user, chat: chat, navInfo: navigation), ends)
    }

    static func selectAllItems(
        _ response: ChatResponse,
        _ context: RouteContext
    ) async throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .chatItems(let user, let name, let all) = response else { return (response, PageCursors()) }
        let (items, ends) = try await selectMessages(all, context) { item in
            ListPlace(item.chatItem.meta, item.chatItem.meta.itemTs)
        } isMore: { pagination async throws(ProblemDetails) in
            guard
                case .chatItems(_, _, let more) = try await context.runMessageCommand(
                    context.makeAllItemsCommand(pagination)
                )
            else {
                return false
            }
            return !more.isEmpty
        }
        return (.chatItems(user: user, chatName_: name, chatItems: items), ends)
    }

    /// Returns a page of messages, the oldest first. The next page has older messages.
    /// - Parameters:
    ///   - read: the messages of the page, and one more message if the core has one. A page around a message has no
    ///     additional message.
    ///   - isMore: returns whether the core finds further messages.
    private static func selectMessages<Message>(
        _ read: [Message],
        _ context: RouteContext,
        _ place: (Message) -> ListPlace,
        isMore: (ChatPagination) async throws(ProblemDetails) -> Bool
    ) async throws(ProblemDetails) -> ([Message], PageCursors) {
        let page = try context.parseMessagePage()
        if try context.startsInsideList {
            guard let (newest, oldest) = read.last.map(place).flatMap({ last in read.first.map { (last, place($0)) } })
            else { return (read, PageCursors()) }
            let ends = page.makeCursors(
                newest,
                oldest,
                hasPrev: try await isMore(newest.makePagination(.prev, count: 1)),
                hasNext: try await isMore(oldest.makePagination(.next, count: 1))
            )
            return (read, ends)
        }
        let goesBack = page.cursor?.direction == .prev
        let goesOn = read.count > page.limit
        let part = goesBack ? read.prefix(page.limit) : read.suffix(page.limit)
        let ends = page.makeCursors(
            part.last.map(place),
            part.first.map(place),
            hasPrev: goesBack ? goesOn : page.cursor != nil,
            hasNext: goesBack || goesOn
        )
        return (Array(part), ends)
    }

    // MARK: Lists that the core reads as a whole

    static func selectUsers(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .usersList(let all) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: all) { ListPlace(number: $0.user.userId) }
        return (.usersList(users: page), ends)
    }

    /// Returns the members who have reacted with an emoji, the earliest reaction first.
    static func selectReactionMembers(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .reactionMembers(let user, let all) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: all) { reaction in
            ListPlace(
                number: Timestamp(parsing: reaction.reactionTs)?.nanoseconds ?? 0,
                text: "\(reaction.groupMember.groupMemberId)"
            )
        }
        return (.reactionMembers(user: user, memberReactions: page), ends)
    }

    /// Returns contacts in the order of their ids. The parameter `name` selects contacts with that name, and `search`
    /// contacts with that text in one of their names.
    static func selectContacts(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .contactsList(let user, let all) = response else { return (response, PageCursors()) }
        let name = context.readParameter("name")
        let named = all.filter { contact in
            // The name in the profile is ignored: the contact chooses it, and several contacts can have the same name.
            guard name.map({ [contact.localDisplayName, contact.profile.localAlias].contains($0) }) ?? true else {
                return false
            }
            guard let search = context.readParameter("search")?.lowercased(), !search.isEmpty else { return true }
            let profile = contact.profile
            return [contact.localDisplayName, profile.localAlias ?? "", profile.displayName, profile.fullName]
                .contains { $0.lowercased().contains(search) }
        }
        let (page, ends) = try context.parsePage().selectPage(of: named) { ListPlace(number: $0.contactId) }
        return (.contactsList(user: user, contacts: page), ends)
    }

    static func selectGroups(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .groupsList(let user, let all) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: all) { ListPlace(number: $0.groupId) }
        return (.groupsList(user: user, groups: page), ends)
    }

    static func selectMembers(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .groupMembers(let user, var group) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: group.members) { ListPlace(number: $0.groupMemberId) }
        group.members = page
        return (.groupMembers(user: user, group: group), ends)
    }

    static func selectRemoteHosts(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .remoteHostList(let all) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: all) { ListPlace(number: $0.remoteHostId) }
        return (.remoteHostList(remoteHosts: page), ends)
    }

    static func selectNetworkStatuses(
        _ response: ChatResponse,
        _ context: RouteContext
    ) throws(ProblemDetails) -> (ChatResponse, PageCursors) {
        guard case .networkStatuses(let user, let all) = response else { return (response, PageCursors()) }
        let (page, ends) = try context.parsePage().selectPage(of: all) { ListPlace(text: $0.agentConnId) }
        return (.networkStatuses(user_: user, networkStatuses: page), ends)
    }
}

extension AChat {
    /// The time of the chat's latest activity, by which the chat list is ordered.
    fileprivate var activityTime: UTCTime? {
        switch chatInfo {
        case .direct(let contact): contact.chatTs ?? contact.updatedAt
        case .group(let group, _): group.chatTs ?? group.updatedAt
        case .local(let folder): folder.chatTs
        case .contactRequest(let request): request.updatedAt
        case .contactConnection(let connection): connection.updatedAt
        case .invalidJSON, .unrecognized: nil
        }
    }

    /// The place of this chat in the chat list, which begins with the latest activity.
    fileprivate var listPlace: ListPlace {
        ListPlace(number: -(activityTime.flatMap(Timestamp.init(parsing:))?.nanoseconds ?? 0), text: chatInfo.id)
    }
}

extension ListPlace {
    /// Makes the place of a message in a list that begins with the newest message.
    /// - Parameter time: the time by which the messages are ordered.
    fileprivate init(_ meta: CIMeta, _ time: UTCTime) {
        self.init(number: -(Timestamp(parsing: time)?.nanoseconds ?? 0), text: "\(meta.itemId)")
    }

    /// The time of the place in a list that begins with the latest time.
    fileprivate var time: Timestamp { Timestamp(nanoseconds: number == .min ? .max : -number) }

    /// Makes the pagination that requests the messages before or after this place of a list.
    fileprivate func makePagination(_ direction: PageRequest.Direction, count: Int) -> ChatPagination {
        let item = Int64(text) ?? 0
        return switch direction {
        case .next: .before(chatItemId: item, at: time, count: count)
        case .prev: .after(chatItemId: item, at: time, count: count)
        }
    }
}

extension PageRequest {
    /// The number of chats that are read at first: a few more than a page, because the core selects chats only by their
    /// times.
    fileprivate var firstReadChatCount: Int { limit + 8 }

    /// Nanoseconds by which the core reads beyond the time of a cursor, to get all chats with this time. Times of
    /// phones are rounded to microseconds.
    private static let cursorMarginNanoseconds: Int64 = 1_000

    fileprivate func makeChatPagination(count: Int) -> PaginationByTime {
        guard let (direction, place) = cursor else { return .last(count: count) }
        let time = place.time.nanoseconds
        let (least, most) = (
            time.subtractingReportingOverflow(Self.cursorMarginNanoseconds),
            time.addingReportingOverflow(Self.cursorMarginNanoseconds)
        )
        return switch direction {
        case .next:
            .before(time: Timestamp(nanoseconds: most.overflow ? time : most.partialValue).fullText, count: count)
        case .prev:
            .after(time: Timestamp(nanoseconds: least.overflow ? time : least.partialValue).fullText, count: count)
        }
    }

    /// The pagination that requests the messages of the page, and one more.
    fileprivate var messagePagination: ChatPagination {
        guard let (direction, place) = cursor else { return .last(count: limit + 1) }
        return place.makePagination(direction, count: limit + 1)
    }
}

extension RouteContext {
    fileprivate func parseChatPage() throws(ProblemDetails) -> PageRequest { try parsePage(limit: 100) }

    /// Makes the command that reads the requested page of the chat list.
    func parseChatsCommand() throws(ProblemDetails) -> MessageCommand {
        let page = try parseChatPage()
        return try makeChatsCommand(page, count: page.firstReadChatCount)
    }

    fileprivate func makeChatsCommand(_ page: PageRequest, count: Int) throws(ProblemDetails) -> MessageCommand {
        .getChats(
            userId: try parseID("userId"),
            pendingConnections: try parseFlag("pendingConnections", default: true),
            pagination: page.makeChatPagination(count: count),
            query: try parseChatListQuery()
        )
    }

    fileprivate func parseMessagePage() throws(ProblemDetails) -> PageRequest {
        try parsePage(limit: 50, most: 1000, begins: true)
    }

    /// Whether the first page is in the middle of the list: around a message, or around the first unread message.
    fileprivate var startsInsideList: Bool {
        get throws(ProblemDetails) {
            if readParameter("around") != nil { return true }
            return try parseFlag("initial", default: false)
        }
    }

    /// Reads the requested page of messages.
    private func parsePagination() throws(ProblemDetails) -> ChatPagination {
        let page = try parseMessagePage()
        if try parseFlag("initial", default: false) {
            guard readParameter("search") ?? "" == "" else {
                throw ProblemDetails(.invalidParameter, "initial and search cannot be given together.")
            }
            return .initial(count: page.limit)
        }
        if let around = try parseNumber("around", in: 1...Int64.max) {
            return .around(chatItemId: around, count: page.limit)
        }
        return page.messagePagination
    }

    /// Makes the command that reads the requested page of the messages of a chat.
    func parseItemsCommand() throws(ProblemDetails) -> MessageCommand {
        let pagination = try parsePagination()
        // A contact connection has no items.
        return try makeItemsCommand(parameters["chatType"] == "contactConnection" ? .initial(count: 1) : pagination)
    }

    fileprivate func makeItemsCommand(_ pagination: ChatPagination) throws(ProblemDetails) -> MessageCommand {
        try makeItemsCommand(pagination, search: readParameter("search"))
    }

    fileprivate func makeItemsCommand(
        _ pagination: ChatPagination,
        search: String?
    ) throws(ProblemDetails) -> MessageCommand {
        .getChat(
            chat: try parseChat(),
            contentTag: try parseContentType(),
            pagination: pagination,
            search: search,
            filter: try parseMessageFilter()
        )
    }

    /// Makes the command that reads the requested page of the messages of all chats.
    func parseAllItemsCommand() throws(ProblemDetails) -> MessageCommand {
        let pagination = try parsePagination()
        let command = try makeAllItemsCommand(pagination)
        if services.core is RemoteHostCore, readParameter("contentType") != nil { throw Self.unsupportedFilterProblem }
        return command
    }

    fileprivate func makeAllItemsCommand(_ pagination: ChatPagination) throws(ProblemDetails) -> MessageCommand {
        .getChatItems(
            pagination: pagination,
            search: readParameter("search"),
            contentTag: try parseContentType(),
            filter: try parseMessageFilter()
        )
    }

    private func parseContentType() throws(ProblemDetails) -> MsgContentTag? {
        guard let text = readParameter("contentType") else { return nil }
        let tag = MsgContentTag(rawValue: text)
        guard MsgContentTag.knownValues.contains(tag) else {
            let known = MsgContentTag.knownValues.map(\.rawValue).sorted().joined(separator: ", ")
            throw ProblemDetails(.invalidParameter, "contentType must be one of \(known).")
        }
        return tag
    }

    /// Reads the filters `direction`, `sender` and `since`. Throws a problem if a request for a phone has one of these
    /// filters, because a phone does not support them.
    private func parseMessageFilter() throws(ProblemDetails) -> MessageFilter {
        var filter = MessageFilter.all
        switch readParameter("direction") {
        case nil: break
        case "sent": filter.isSent = true
        case "received": filter.isSent = false
        default: throw ProblemDetails(.invalidParameter, "direction must be sent or received.")
        }
        filter.sender = try parseNumber("sender", in: 1...Int64.max)
        if let text = readParameter("since") {
            guard let since = Timestamp(parsing: text) else {
                throw ProblemDetails(.invalidParameter, "since must be a time in UTC, such as 2026-01-31T12:00:00Z.")
            }
            filter.since = since
        }
        if filter != .all, services.core is RemoteHostCore { throw Self.unsupportedFilterProblem }
        return filter
    }

    private static let unsupportedFilterProblem = ProblemDetails(
        .invalidParameter,
        "A phone cannot filter its messages by this."
    )

    /// Runs another command, whose response is needed for the requested page.
    fileprivate func runMessageCommand(_ command: MessageCommand) async throws(ProblemDetails) -> ChatResponse {
        guard let principal else { throw ProblemDetails(.unauthorized) }
        let user = try parseID("userId")
        switch await services.core.runCommand(.messages(command), as: user, with: principal.commandRights, claim: nil) {
        case .result(let response): return response
        case .error(let error): throw ProblemDetails(error)
        }
    }
}
