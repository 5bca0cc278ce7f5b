internal import ChatAPI
internal import ChatCore
internal import ChatStore
internal import Concurrency
internal import JSON
internal import SimpleXCrypto

/// The long work of one request, such as a backup. Clients follow the work at `/v1/operations/{operationId}`.
struct LongOperation: Sendable {
    enum State: String, Sendable {
        case running, done, failed, cancelled
    }

    let id: String
    /// The name of the route in the contract.
    let route: String
    /// The values in the path of the request. They decide which keys besides the key of the request may see the
    /// operation.
    let parameters: [String: String]
    let keyID: String
    /// The id of the store of the API key that began the operation; nil for the first store.
    let storeID: String?
    /// The id of the request that began the operation.
    let requestID: String
    /// The time of the beginning, in seconds since 1970. All times in this type have this unit.
    let startedAtSeconds: Int64
    var state = State.running
    var endedAtSeconds: Int64?
    /// The last progress of an operation that has ended.
    var lastProgress: WorkProgress.Amount?
    /// The problem document with the reason, if the operation has failed.
    var problem: JSONValue?
    /// The status of the answer; nil until the operation has ended.
    var status: Int?

    /// The number of seconds for which an ended operation is kept.
    static let lifetimeSeconds = RequestClaim.lifetimeSeconds

    /// The time until which an ended operation is kept; nil while the operation runs.
    var expiresAtSeconds: Int64? { endedAtSeconds.map { $0 + Self.lifetimeSeconds } }

    /// Returns the description of the operation for clients.
    /// - Parameter progress: the progress of a running operation.
    func describe(_ progress: WorkProgress?) -> JSONObject {
        var object = JSONObject([
            ("type", "operation"), ("operationId", .string(id)), ("operation", .string(route)),
            ("state", .string(state.rawValue)),
            ("keyId", .string(keyID)), ("requestId", .string(requestID)),
            ("startedAt", Self.makeTimeValue(startedAtSeconds)),
        ])
        if let endedAtSeconds { object["endedAt"] = Self.makeTimeValue(endedAtSeconds) }
        if let expiresAtSeconds { object["expiresAt"] = Self.makeTimeValue(expiresAtSeconds) }
        let isRunning = state == .running
        object["cancellable"] = .bool(isRunning && progress?.isCancellable == true)
        if isRunning, progress?.isCancelled == true { object["cancelling"] = .bool(true) }
        if let amount = isRunning ? progress?.amount : lastProgress { object["progress"] = amount.json }
        if let status { object["status"] = .integer(Int64(status)) }
        if let problem { object["problem"] = problem }
        return object
    }

    private static func makeTimeValue(_ seconds: Int64) -> JSONValue { .string(Timestamp(seconds: seconds).fullText) }
}

extension WorkProgress.Amount {
    fileprivate var json: JSONValue {
        var object = JSONObject([("done", .integer(doneAmount))])
        if let totalAmount { object["total"] = .integer(totalAmount) }
        object["unit"] = .string(unit.rawValue)
        return .object(object)
    }

    fileprivate init?(json: JSONValue) {
        guard let done = json["done"]?.integerValue,
            let unit = json["unit"]?.stringValue.flatMap({ WorkProgress.Unit(rawValue: $0) })
        else { return nil }
        self.init(done: done, total: json["total"]?.integerValue, unit: unit)
    }
}

// MARK: The file of an operation

/// The contents of an operation's file. The answer is in an encrypted box (``SealedAnswerRequest``), because it may
/// contain links or keys.
struct StoredOperation: Sendable {
    var operation: LongOperation
    /// The box with the answer of a successful operation.
    var box: [UInt8]?

    init(_ operation: LongOperation, box: [UInt8]? = nil) { (self.operation, self.box) = (operation, box) }

    /// Reads the contents of an operation's file.
    /// - Returns: nil for contents in another form.
    init?(id: String, _ content: [UInt8]) {
        guard let json = try? JSONValue(parsing: content), let route = json["route"]?.stringValue,
            let keyID = json["keyId"]?.stringValue, let requestID = json["requestId"]?.stringValue,
            let started = json["started"]?.clampedTime,
            let state = json["state"]?.stringValue.flatMap({ LongOperation.State(rawValue: $0) })
        else { return nil }
        let parameters = (json["parameters"]?.objectValue ?? JSONObject()).compactMap { name, value in
            value.stringValue.map { (name, $0) }
        }
        operation = LongOperation(
            id: id,
            route: route,
            parameters: Dictionary(parameters) { first, _ in first },
            keyID: keyID,
            storeID: json["store"]?.stringValue,
            requestID: requestID,
            startedAtSeconds: started,
            state: state,
            endedAtSeconds: json["ended"]?.clampedTime,
            lastProgress: json["progress"].flatMap { WorkProgress.Amount(json: $0) },
            problem: json["problem"],
            status: json["status"]?.integerValue.map { Int(clamping: $0) }
        )
        box = json["box"]?.stringValue.flatMap { try? Base64URL.decode($0) }
    }

    var encodedJSON: [UInt8] {
        var object = JSONObject([
            ("route", .string(operation.route)), ("keyId", .string(operation.keyID)),
            ("requestId", .string(operation.requestID)), ("started", .integer(operation.startedAtSeconds)),
            ("state", .string(operation.state.rawValue)),
            (
                "parameters",
                .object(JSONObject(operation.parameters.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
            ),
        ])
        if let store = operation.storeID { object["store"] = .string(store) }
        if let ended = operation.endedAtSeconds { object["ended"] = .integer(ended) }
        if let amount = operation.lastProgress { object["progress"] = amount.json }
        if let problem = operation.problem { object["problem"] = problem }
        if let status = operation.status { object["status"] = .integer(Int64(status)) }
        if let box { object["box"] = .string(Base64URL.encode(box, padding: false)) }
        return JSONValue.object(object).encodeText()
    }
}
