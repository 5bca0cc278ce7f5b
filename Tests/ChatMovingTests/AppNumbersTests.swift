import Testing

@testable import ChatMoving

@Suite struct AppNumbersTests {
    @Test
    func `A row with an already used number gets a free number`() {
        var numbers = AppRowIDs()
        numbers.assign(1, .max)
        numbers.assign(2, .max)
        numbers.assign(3, .max)
        #expect([1, 2, 3].map { numbers.assignedNumber($0, .max) } == [.max, 1, 2])
    }
}
