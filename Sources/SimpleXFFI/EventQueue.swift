import ChatAPI
import ChatCore
internal import ChatStore
import JSON

/// The queue from which one caller reads the events of a core and of its connected remote hosts (controlled phones).
/// Each event is returned once. The events of each device are in order.
///
/// After the first opening, the queue begins at the end of the journal (the stored events), because the original
/// returns only the events of its own run. Unread events of the core stay in the journal and use no memory. Unread
/// events of a remote host are kept up to a limit, see `RemoteHostEvents`.
actor EventQueue {
    private static let eventsPerPage = 100

    private var journal: EventJournal?
    private var epoch = ""
    private var position: UInt64 = 0
    private var hosts: [Host] = []
    private var eventsToReturn: ArraySlice<(host: Int64?, event: [UInt8])> = []
    private var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    private var lastWaiterNumber: UInt64 = 0

    /// A connection to a remote host (a controlled phone), and the number of the host's last event that was read.
    private struct Host {
        let id: Int64
        let events: RemoteHostEvents
        var position: UInt64 = 0
    }

    /// Connects the queue to an open core. If the core has the same journal as before, reading continues at the last
    /// position.
    func attachCore(_ controller: ChatController) {
        let journal = controller.journal
        if epoch != journal.epoch {
            epoch = journal.epoch
            position = journal.latestSeq
            eventsToReturn = []
        }
        self.journal = journal
        journal.onPublish { [weak self] _ in
            guard let self else { return }
            Task { await self.wakeWaiters() }
        }
        controller.onConnectedHost { [weak self] id, host in
            guard let self else { return }
            Task { await self.addHost(id, host.events) }
        }
        wakeWaiters()
    }

    private func addHost(_ id: Int64, _ events: RemoteHostEvents) {
        guard !hosts.contains(where: { $0.events.epoch == events.epoch }) else { return }
        hosts.append(Host(id: id, events: events))
        events.onPublish { [weak self] _ in
            guard let self else { return }
            Task { await self.wakeWaiters() }
        }
        wakeWaiters()
    }

    func detachCore() {
        journal = nil
        hosts = []
    }

    /// Waits for the next event, and returns it in the form `{"result": …}` or `{"error": …}`.
    /// - Parameter deadline: the time limit; nil for no limit.
    /// - Returns: nil when no event arrives in time.
    func takeNextEvent(until deadline: ContinuousClock.Instant?) async -> [UInt8]? {
        while true {
            while let (host, event) = eventsToReturn.popFirst() {
                if let frame = Self.makeCallerForm(event, of: host) { return frame }
            }
            let hasFetched = await readJournal()
            readHostEvents()
            if hasFetched || !eventsToReturn.isEmpty { continue }
            guard await waitForMoreEvents(until: deadline) else { return nil }
        }
    }

    /// Reads more events of the core's journal into ``eventsToReturn``.
    /// - Returns: whether ``eventsToReturn`` may contain events now.
    private func readJournal() async -> Bool {
        guard let journal else { return false }
        let known = journal.latestSeq
        guard let read = try? await journal.readEntries(after: position, limit: Self.eventsPerPage) else {
            return false
        }
        // If nothing was read, the entries up to `known` were deleted together with a user, so they are skipped.
        if read.isEmpty { position = max(position, known) }
        // A concurrent call may have read the same entries during this read. So only entries after the present position
        // are added.
        let new = read.filter { $0.cursor.seq > position }
        guard let last = new.last else { return !eventsToReturn.isEmpty }
        position = last.cursor.seq
        eventsToReturn += new.map { (nil, $0.eventJSON) }
        return true
    }

    private func readHostEvents() {
        for index in hosts.indices {
            let new = hosts[index].events.entries(after: hosts[index].position, limit: Self.eventsPerPage)
            guard let last = new.last else { continue }
            hosts[index].position = last.cursor.seq
            eventsToReturn += new.map { (hosts[index].id, $0.eventJSON) }
        }
        hosts.removeAll { $0.events.hasEnded && $0.events.latestSeq <= $0.position }
    }

    private func waitForMoreEvents(until deadline: ContinuousClock.Instant?) async -> Bool {
        if let deadline, deadline <= .now { return false }
        if let journal, journal.latestSeq > position { return true }
        if hosts.contains(where: { $0.events.latestSeq > $0.position }) { return true }
        lastWaiterNumber &+= 1
        let number = lastWaiterNumber
        let timer = deadline.map { deadline in
            Task {
                try? await Task.sleep(until: deadline, clock: .continuous)
                self.resumeWaiter(number)
            }
        }
        await withCheckedContinuation { waiters[number] = $0 }
        timer?.cancel()
        return true
    }

    private func resumeWaiter(_ number: UInt64) { waiters.removeValue(forKey: number)?.resume() }

    private func wakeWaiters() {
        let all = waiters.values
        waiters = [:]
        for waiter in all { waiter.resume() }
    }

    /// Returns an event as JSON for the caller; nil for an event that is meant only for terminals.
    private static func makeCallerForm(_ event: [UInt8], of host: Int64?) -> [UInt8]? {
        if event.starts(with: #"{"type":"terminalEvent""#.utf8) { return nil }
        if event.starts(with: #"{"type":"chatError""#.utf8),
            case .chatError(let error)? = try? JSONDecoder().decode(ChatEvent.self, from: event)
        {
            if let host { return try? JSONEncoder().encode(RemoteHostAnswer(remoteHostId: host, error: error)) }
            return try? JSONEncoder().encode(APIResult<ChatEvent>.error(error))
        }
        return Array("{\(host.map { #""remoteHostId":\#($0),"# } ?? "")\"result\":".utf8) + event + [UInt8(ascii: "}")]
    }
}
