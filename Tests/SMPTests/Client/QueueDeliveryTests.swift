@testable import SMP
import Testing

@Suite struct QueueDeliveryTests {
    private func expect(
        _ id: [UInt8],
        _ expected: QueueDelivery.Verdict,
        _ queue: inout QueueDelivery,
        at location: SourceLocation = #_sourceLocation
    ) {
        let verdict = queue.didReceive(id)
        #expect(verdict == expected, sourceLocation: location)
    }

    @Test
    func `A second message is a violation until the first message is acknowledged`() {
        var queue = QueueDelivery()
        expect([1], .new, &queue)
        expect([1], .repeated, &queue)
        expect([2], .violation, &queue)
        queue.willAcknowledge([1])
        expect([2], .new, &queue)
        expect([3], .violation, &queue)
    }

    @Test
    func `A second acknowledgement of the same message does not permit another delivery`() {
        var queue = QueueDelivery()
        expect([1], .new, &queue)
        queue.willAcknowledge([1])
        expect([2], .new, &queue)
        queue.willAcknowledge([1])
        expect([3], .violation, &queue)
    }

    @Test
    func `After another SUB, the same message or the next message is accepted as new`() {
        for next: UInt8 in [1, 2] {
            var queue = QueueDelivery()
            expect([1], .new, &queue)
            queue.willSubscribeAgain()
            expect([next], .new, &queue)
            expect([next], .repeated, &queue)
            expect([3], .violation, &queue)
        }
    }

    @Test
    func `A message that arrives after another SUB does not make the next message a violation`() {
        var queue = QueueDelivery()
        queue.willSubscribeAgain()
        expect([1], .new, &queue)
        expect([2], .new, &queue)
        expect([3], .violation, &queue)
    }
}
