@testable import SMP
import Testing

@Suite struct QueueDeliveryTests {
    private func expect(_ id: [UInt8], _ expected: QueueDelivery.Verdict, _ queue: inout QueueDelivery, at location: SourceLocation = #_sourceLocation) {
        let verdict = queue.received(id)
        #expect(verdict == expected, sourceLocation: location)
    }

    @Test("One message is delivered at a time, and the next one after its acknowledgement")
    func oneAtATime() {
        var queue = QueueDelivery()
        expect([1], .new, &queue)
        expect([1], .repeated, &queue)
        expect([2], .violation, &queue)
        queue.acknowledged([1])
        expect([2], .new, &queue)
        expect([3], .violation, &queue)
    }

    @Test("a late acknowledgement of an earlier message lets no other be delivered")
    func lateAcknowledgement() {
        var queue = QueueDelivery()
        expect([1], .new, &queue)
        queue.acknowledged([1])
        expect([2], .new, &queue)
        queue.acknowledged([1])
        expect([3], .violation, &queue)
    }

    @Test("after another SUB the first message is delivered again, or the one that is the first since")
    func subscribedAgain() {
        for next: UInt8 in [1, 2] {
            var queue = QueueDelivery()
            expect([1], .new, &queue)
            queue.subscribedAgain()
            expect([next], .new, &queue)
            expect([next], .repeated, &queue)
            expect([3], .violation, &queue)
        }
    }

    @Test("a message that was on its way when SUB was sent again does not count")
    func onItsWay() {
        var queue = QueueDelivery()
        queue.subscribedAgain()
        expect([1], .new, &queue)
        expect([2], .new, &queue)
        expect([3], .violation, &queue)
    }
}
