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
    func `A second message of a queue is a protocol violation until the first message is acknowledged`() {
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
    func `After a repeated SUB, a client accepts the previous message or the next message of a queue as new`() {
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
    func `After a repeated SUB, a client accepts two new messages of a queue, and a third is a violation`() {
        var queue = QueueDelivery()
        queue.recordRepeatedSubscription()
        expectVerdict([1], .new, &queue)
        expectVerdict([2], .new, &queue)
        expectVerdict([3], .violation, &queue)
    }
}
