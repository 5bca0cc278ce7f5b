import Testing

@testable import ChatMoving

@Suite struct AppNumbersTests {
    @Test
    func `A row whose number is already used in an export gets a free number`() {
        var numbers = AppRowIDs()
        numbers.assignNumber(1, .max)
        numbers.assignNumber(2, .max)
        numbers.assignNumber(3, .max)
        #expect([1, 2, 3].map { numbers.assignedNumber($0, .max) } == [.max, 1, 2])
    }
}
