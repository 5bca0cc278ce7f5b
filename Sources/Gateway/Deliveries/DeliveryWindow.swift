/// The entries of the journal that one receiver has yet to take, of those that were read.
///
/// Two entries that name a chat together leave in the order of the journal: the second is not tried before the first was taken. Others do not wait
/// for each other, so that a receiver that refuses the events of one chat gets those of the others.
struct DeliveryWindow {
    enum Kind: Hashable { case event, replay, gap }

    struct Entry: Hashable {
        let seq: UInt64
        let kind: Kind
        /// Empty for an event that names none; such events are ordered among themselves.
        let chats: Set<EventChat>
        var attempts = 0
        var firstAttempt: Int64?
        /// Milliseconds since 1970.
        var due: Int64 = 0
        var isRunning = false
    }

    private(set) var entries: [Entry] = []
    /// Up to here the journal was read.
    var scanned: UInt64
    /// Entries after the position that have left already.
    var done: Set<UInt64> = []

    init(after position: UInt64) { scanned = position }

    var running: Int { entries.count(where: \.isRunning) }

    /// All entries up to this one have left, but for gaps and replays.
    var position: UInt64 { entries.first { $0.kind == .event }.map { $0.seq &- 1 } ?? scanned }

    /// The position when this entry has left too.
    func position(without seq: UInt64) -> UInt64 {
        entries.first { $0.kind == .event && $0.seq != seq }.map { $0.seq &- 1 } ?? scanned
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    /// Puts an entry at the place of its number, before others of the same.
    mutating func insert(_ entry: Entry) {
        entries.insert(entry, at: entries.firstIndex { $0.seq >= entry.seq } ?? entries.endIndex)
    }

    mutating func change(_ seq: UInt64, _ kind: Kind, _ body: (inout Entry) -> Void) {
        if let index = entries.firstIndex(where: { $0.seq == seq && $0.kind == kind }) { body(&entries[index]) }
    }

    mutating func remove(_ seq: UInt64, _ kind: Kind) { entries.removeAll { $0.seq == seq && $0.kind == kind } }

    /// The journal was cut: what is lost goes, and what runs goes on.
    mutating func cut(before oldest: UInt64) {
        entries.removeAll { !$0.isRunning && ($0.seq < oldest || $0.kind == .gap) }
        done = done.filter { $0 >= oldest }
        scanned = max(scanned, oldest &- 1)
        insert(Entry(seq: oldest &- 1, kind: .gap, chats: []))
    }

    /// Whether an entry that is not being sent is lost.
    func hasLost(before oldest: UInt64) -> Bool { entries.contains { $0.seq < oldest && $0.kind != .gap && !$0.isRunning } }

    /// All that waits is tried at once.
    mutating func hurry() { for index in entries.indices where !entries[index].isRunning { entries[index].due = 0 } }

    /// The clock was set: what waits is due as much later, in milliseconds.
    mutating func move(by change: Int64) { for index in entries.indices where entries[index].due > 0 { entries[index].due &+= change } }

    /// What can be sent now, and marks it so.
    /// - Parameters:
    ///   - room: how many.
    /// - Returns: also when the next one is due that waits for its time only.
    mutating func take(at now: Int64, room: Int) -> (entries: [Entry], next: Int64?) {
        var busy: Set<EventChat> = []
        var isGeneralBusy = false
        var taken: [Entry] = []
        var next: Int64?
        for index in entries.indices {
            let entry = entries[index]
            if entry.kind == .gap {
                // What is after a gap comes after it, and it comes after what was before it.
                guard index == 0, !entry.isRunning else { break }
                if entry.due <= now, room > 0 {
                    entries[index].isRunning = true
                    return ([entries[index]], nil)
                }
                return ([], entry.due)
            }
            let isFree = entry.chats.isEmpty ? !isGeneralBusy : entry.chats.isDisjoint(with: busy)
            busy.formUnion(entry.chats)
            if entry.chats.isEmpty { isGeneralBusy = true }
            guard isFree, !entry.isRunning else { continue }
            guard entry.due <= now else {
                next = min(next ?? .max, entry.due)
                continue
            }
            guard taken.count < room else { break }
            entries[index].isRunning = true
            taken.append(entries[index])
        }
        return (taken, next)
    }
}
