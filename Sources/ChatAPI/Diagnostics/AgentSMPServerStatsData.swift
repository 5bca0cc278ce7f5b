/// Counts of operations at an SMP server since the statistics began.
public struct AgentSMPServerStatsData: Codable, Hashable, Sendable {
    public var _sentDirect: Int
    public var _sentViaProxy: Int
    public var _sentProxied: Int
    public var _sentDirectAttempts: Int
    public var _sentViaProxyAttempts: Int
    public var _sentProxiedAttempts: Int
    public var _sentAuthErrs: Int
    public var _sentQuotaErrs: Int
    public var _sentExpiredErrs: Int
    public var _sentOtherErrs: Int
    public var _recvMsgs: Int
    public var _recvDuplicates: Int
    public var _recvCryptoErrs: Int
    public var _recvErrs: Int
    public var _ackMsgs: Int
    public var _ackAttempts: Int
    public var _ackNoMsgErrs: Int
    public var _ackOtherErrs: Int
    public var _connCreated: Int
    public var _connSecured: Int
    public var _connCompleted: Int
    public var _connDeleted: Int
    public var _connDelAttempts: Int
    public var _connDelErrs: Int
    public var _connSubscribed: Int
    public var _connSubAttempts: Int
    public var _connSubIgnored: Int
    public var _connSubErrs: Int
    public var _ntfKey: Int
    public var _ntfKeyAttempts: Int
    public var _ntfKeyDeleted: Int
    public var _ntfKeyDeleteAttempts: Int

    public init(
        _sentDirect: Int,
        _sentViaProxy: Int,
        _sentProxied: Int,
        _sentDirectAttempts: Int,
        _sentViaProxyAttempts: Int,
        _sentProxiedAttempts: Int,
        _sentAuthErrs: Int,
        _sentQuotaErrs: Int,
        _sentExpiredErrs: Int,
        _sentOtherErrs: Int,
        _recvMsgs: Int,
        _recvDuplicates: Int,
        _recvCryptoErrs: Int,
        _recvErrs: Int,
        _ackMsgs: Int,
        _ackAttempts: Int,
        _ackNoMsgErrs: Int,
        _ackOtherErrs: Int,
        _connCreated: Int,
        _connSecured: Int,
        _connCompleted: Int,
        _connDeleted: Int,
        _connDelAttempts: Int,
        _connDelErrs: Int,
        _connSubscribed: Int,
        _connSubAttempts: Int,
        _connSubIgnored: Int,
        _connSubErrs: Int,
        _ntfKey: Int,
        _ntfKeyAttempts: Int,
        _ntfKeyDeleted: Int,
        _ntfKeyDeleteAttempts: Int
    ) {
        self._sentDirect = _sentDirect
        self._sentViaProxy = _sentViaProxy
        self._sentProxied = _sentProxied
        self._sentDirectAttempts = _sentDirectAttempts
        self._sentViaProxyAttempts = _sentViaProxyAttempts
        self._sentProxiedAttempts = _sentProxiedAttempts
        self._sentAuthErrs = _sentAuthErrs
        self._sentQuotaErrs = _sentQuotaErrs
        self._sentExpiredErrs = _sentExpiredErrs
        self._sentOtherErrs = _sentOtherErrs
        self._recvMsgs = _recvMsgs
        self._recvDuplicates = _recvDuplicates
        self._recvCryptoErrs = _recvCryptoErrs
        self._recvErrs = _recvErrs
        self._ackMsgs = _ackMsgs
        self._ackAttempts = _ackAttempts
        self._ackNoMsgErrs = _ackNoMsgErrs
        self._ackOtherErrs = _ackOtherErrs
        self._connCreated = _connCreated
        self._connSecured = _connSecured
        self._connCompleted = _connCompleted
        self._connDeleted = _connDeleted
        self._connDelAttempts = _connDelAttempts
        self._connDelErrs = _connDelErrs
        self._connSubscribed = _connSubscribed
        self._connSubAttempts = _connSubAttempts
        self._connSubIgnored = _connSubIgnored
        self._connSubErrs = _connSubErrs
        self._ntfKey = _ntfKey
        self._ntfKeyAttempts = _ntfKeyAttempts
        self._ntfKeyDeleted = _ntfKeyDeleted
        self._ntfKeyDeleteAttempts = _ntfKeyDeleteAttempts
    }
}
