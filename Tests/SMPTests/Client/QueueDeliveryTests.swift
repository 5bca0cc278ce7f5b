@testable import SMP
import Testing

@Suite struct QueueDeliveryTests {
    private func expectVerdict(
        _ id: [UInt8],
        _ expected: QueueDelivery.DeliveryKind,
        _ queue: inout QueueDelivery,
        at location: SourceLocation = #_sourceLocation
    ) {
        let verdict = queue.recordReceivedMessage(id)
        #expect(verdict == expected, sourceLocation: location)
    }

    @Test
    func `A relay's second message of a queue is a violation until the first message is acknowledged`() {
        var queue = QueueDelivery()
        expectVerdict([1], .new, &queue)
        expectVerdict([1], .repeated, &queue)
        expectVerdict([2], .violation, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([2], .new, &queue)
        expectVerdict([3], .violation, &queue)
    }

    @Test
    func `A repeated acknowledgement of a message does not permit the relay to send one more message`() {
        var queue = QueueDelivery()
        expectVerdict([1], .new, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([2], .new, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([3], .violation, &queue)
    }

    @Test
    func `After a repeated SUB, the same message or the next message of the queue is accepted as new`() {
        for next: UInt8 in [1, 2] {
            var queue = QueueDelivery()
            expectVerdict([1], .new, &queue)
            queue.recordRepeatedSubscription()
            expectVerdict([next], .new, &queue)
            expectVerdict([next], .repeated, &queue)
            expectVerdict([3], .violation, &queue)
        }
    }

    @Test
    func `If a message arrives after a repeated SUB, the next message of the queue is no violation`() {
        var queue = QueueDelivery()
        queue.recordRepeatedSubscription()
        expectVerdict([1], .new, &queue)
        expectVerdict([2], .new, &queue)
        expectVerdict([3], .violation, &queue)
    }
}
