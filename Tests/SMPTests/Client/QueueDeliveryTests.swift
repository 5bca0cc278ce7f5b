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
    func `A second message is a violation until the first message is acknowledged`() {
        var queue = QueueDelivery()
        expectVerdict([1], .new, &queue)
        expectVerdict([1], .repeated, &queue)
        expectVerdict([2], .violation, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([2], .new, &queue)
        expectVerdict([3], .violation, &queue)
    }

    @Test
    func `A second acknowledgement of the same message does not permit another delivery`() {
        var queue = QueueDelivery()
        expectVerdict([1], .new, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([2], .new, &queue)
        queue.recordAcknowledgement(of: [1])
        expectVerdict([3], .violation, &queue)
    }

    @Test
    func `After another SUB, the same message or the next message is accepted as new`() {
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
    func `A message that arrives after another SUB does not make the next message a violation`() {
        var queue = QueueDelivery()
        queue.recordRepeatedSubscription()
        expectVerdict([1], .new, &queue)
        expectVerdict([2], .new, &queue)
        expectVerdict([3], .violation, &queue)
    }
}
