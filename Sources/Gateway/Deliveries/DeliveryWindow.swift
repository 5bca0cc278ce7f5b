/// The entries that were read from the journal, and that one receiver has not accepted yet.
///
/// Two entries that name the same chat are sent in the order of the journal: the second entry is sent only after the
/// receiver has accepted the first. Entries without a common chat do not wait for each other. So a receiver that
/// refuses the events of one chat still gets the events of other chats.
struct DeliveryWindow {
    enum Kind: Hashable { case event, replay, gap }

    struct Entry: Hashable {
        let seq: UInt64
        var kind: Kind
        /// The chats that the event names. Events that name no chat are sent one after the other.
        var chats: Set<EventChat>
        var attempts = 0
        var firstAttemptMilliseconds: Int64?
        /// Time of the next attempt, in milliseconds since 1970.
        var dueMilliseconds: Int64 = 0
        /// Whether the entry is being sent, or is handed out to a worker until `dueMilliseconds`.
        var isRunning = false
    }

    private(set) var entries: [Entry] = []
    /// The number of the last entry that was read from the journal.
    var lastReadSeq: UInt64
    /// The numbers of entries after ``position`` that are done already.
    var doneSeqs: Set<UInt64> = []

    init(after position: UInt64) { lastReadSeq = position }

    var runningCount: Int { entries.count(where: \.isRunning) }

    /// The number up to which all entries are done. Waiting gaps and waiting replayed events are ignored.
    var position: UInt64 { entries.first { $0.kind == .event }.map { $0.seq &- 1 } ?? lastReadSeq }

    /// Returns the position that results when the entries with the given numbers are done too.
    func position(afterDone seqs: Set<UInt64>) -> UInt64 {
        entries.first { $0.kind == .event && !seqs.contains($0.seq) }.map { $0.seq &- 1 } ?? lastReadSeq
    }

    /// Whether this window also contains an entry of another kind with the same number. Both entries have the same row
    /// in the database.
    func hasOtherKind(than entry: Entry) -> Bool { entries.contains { $0.seq == entry.seq && $0.kind != entry.kind } }

    mutating func appendEntry(_ entry: Entry) { entries.append(entry) }

    /// Inserts an entry at the place of its number, before other entries with the same number.
    mutating func insertEntry(_ entry: Entry) {
        entries.insert(entry, at: entries.firstIndex { $0.seq >= entry.seq } ?? entries.endIndex)
    }

    mutating func changeEntry(_ seq: UInt64, _ kind: Kind, _ body: (inout Entry) -> Void) {
        if let index = entries.firstIndex(where: { $0.seq == seq && $0.kind == kind }) { body(&entries[index]) }
    }

    /// Turns the entry of an event into a replayed entry with the same number. The position can move past a replayed
    /// entry before the entry is sent.
    mutating func turnIntoReplay(_ seq: UInt64) { changeEntry(seq, .event) { $0.kind = .replay } }

    /// Returns the present kind of an entry that was taken for sending earlier. The kind is `replay` if the position
    /// has moved past the event since then.
    func currentKind(of taken: Entry) -> Kind {
        let kinds = entries.lazy.filter { $0.seq == taken.seq }.map(\.kind)
        return taken.kind == .event && !kinds.contains(.event) && kinds.contains(.replay) ? .replay : taken.kind
    }

    mutating func removeEntry(_ seq: UInt64, _ kind: Kind) { entries.removeAll { $0.seq == seq && $0.kind == kind } }

    /// Whether a gap with this number is being sent, or is handed out to a worker.
    func isRunning(gap seq: UInt64) -> Bool { entries.contains { $0.seq == seq && $0.kind == .gap && $0.isRunning } }

    /// Handles the deletion of the journal's oldest entries. Removes the lost entries that are not being sent, and
    /// inserts a gap, which reports the loss. Inserts no gap while a gap with the same number is being sent.
    mutating func insertGap(before oldest: UInt64) {
        entries.removeAll { !$0.isRunning && ($0.seq < oldest || $0.kind == .gap) }
        doneSeqs = doneSeqs.filter { $0 >= oldest }
        lastReadSeq = max(lastReadSeq, oldest &- 1)
        if !isRunning(gap: oldest &- 1) { insertEntry(Entry(seq: oldest &- 1, kind: .gap, chats: [])) }
    }

    /// Whether the journal has deleted an entry that waits in this window and is not being sent.
    func hasLostEntry(before oldest: UInt64) -> Bool {
        entries.contains { $0.seq < oldest && $0.kind != .gap && !$0.isRunning }
    }

    /// Makes all waiting entries due immediately.
    mutating func makeEntriesDue() {
        for index in entries.indices where !entries[index].isRunning { entries[index].dueMilliseconds = 0 }
    }

    /// Moves the due times of waiting entries by `change` milliseconds, after the clock was set.
    mutating func shiftDueTimes(by change: Int64) {
        for index in entries.indices where entries[index].dueMilliseconds > 0 {
            entries[index].dueMilliseconds &+= change
        }
    }

    /// Returns the entries that can be sent now, and marks them as running.
    /// - Parameters:
    ///   - room: the maximal number of entries.
    /// - Returns: the entries, and the earliest due time of an entry that waits only for its due time.
    mutating func beginSending(at now: Int64, room: Int) -> (entries: [Entry], next: Int64?) {
        var busy: Set<EventChat> = []
        var isGeneralBusy = false
        var taken: [Entry] = []
        var next: Int64?
        for index in entries.indices {
            let entry = entries[index]
            if entry.kind == .gap {
                // A gap keeps its place in the order: it waits for all entries before it, and all entries after it wait
                // for the gap.
                guard index == 0, !entry.isRunning else { break }
                if entry.dueMilliseconds <= now, room > 0 {
                    entries[index].isRunning = true
                    return ([entries[index]], nil)
                }
                return ([], entry.dueMilliseconds)
            }
            let isFree = entry.chats.isEmpty ? !isGeneralBusy : entry.chats.isDisjoint(with: busy)
            busy.formUnion(entry.chats)
            if entry.chats.isEmpty { isGeneralBusy = true }
            guard isFree, !entry.isRunning else { continue }
            guard entry.dueMilliseconds <= now else {
                next = min(next ?? .max, entry.dueMilliseconds)
                continue
            }
            guard taken.count < room else { break }
            entries[index].isRunning = true
            taken.append(entries[index])
        }
        return (taken, next)
    }
}
