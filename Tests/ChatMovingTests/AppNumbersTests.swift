import Testing

@testable import ChatMoving

@Suite struct AppNumbersTests {
    @Test
    func `A row with an already used number gets a free number`() {
        var numbers = AppNumbers()
        numbers.add(1, .max)
        numbers.add(2, .max)
        numbers.add(3, .max)
        #expect([1, 2, 3].map { numbers.known($0, .max) } == [.max, 1, 2])
    }
}
