// Errors of requests. The gateway describes each with a problem document (RFC 9457).

/**
 * Members of a problem document.
 * @typedef {{code?: string, title?: string, detail?: string, requestId?: string, oldest?: string, resource?: string,
 *   limit?: number, chatError?: Record<string, any>}} ProblemDetails
 */

/** A request that failed. `code` is the code from the gateway, or `offline` if no whole answer has arrived. */
export class GatewayError extends Error {
  /**
   * @param {number} status the status of the answer; 0 without an answer
   * @param {string} code
   * @param {ProblemDetails} [details]
   */
  constructor(status, code, details = {}) {
    super(details.detail ?? details.title ?? code)
    this.name = new.target.name
    this.status = status
    this.code = code
    this.details = details
    /** Id of the request in the log of the gateway; empty without an answer. */
    this.requestId = details.requestId ?? ""
    /** Seconds after which the request may be repeated; 0 if the gateway has not set a time. */
    this.retryAfter = 0
    /** The nearest allowed name, if a name was refused. */
    this.validName = /** @type {string} */ (details.chatError?.errorType?.validName ?? "")
  }
}

/** The gateway cannot be reached, or its answer was lost. The request may have had its effect. */
export class ConnectionFailed extends GatewayError {}
/** The certificate of the gateway is not for its address, or no known authority has signed it. */
export class CertificateRefused extends ConnectionFailed {}
/** The gateway has another version than this package. */
export class WrongVersion extends GatewayError {}
/** The request is not valid. A repetition gets the same answer. */
export class InvalidRequest extends GatewayError {}
/** The key is wrong, revoked or expired. */
export class Unauthorized extends GatewayError {}
/** The key does not allow the request. */
export class Forbidden extends GatewayError {}
export class NotFound extends GatewayError {}
/** The request is not possible in the present state, or another client has changed the resource. */
export class Conflict extends GatewayError {}
/** A request with the same idempotency key and other contents was executed before. This request was not executed. */
export class AlreadyDone extends Conflict {}
/** The gateway no longer has the events after the cursor. `oldest` is the oldest valid cursor. */
export class CursorExpired extends GatewayError {
  get oldest() { return this.details.oldest ?? "" }
}
/** The client has sent too many requests, and may send the next one after `retryAfter` seconds. */
export class RateLimited extends GatewayError {}
/** The gateway is busy, full, starting or stopping. */
export class Unavailable extends GatewayError {}
/** The store is locked. It must be unlocked with its password before the request is repeated. */
export class StoreLocked extends Unavailable {}
/** A relay or another device cannot be reached, or does not answer in time. */
export class RelayFailed extends GatewayError {}
/** The disk is full, or a limit of the store is reached. */
export class StorageFull extends GatewayError {}
/** The core refuses the command, for the reason in `chatError`. */
export class ChatError extends GatewayError {
  get chatError() { return this.details.chatError ?? {} }
}
/** A message was not sent. Its status shows the error. */
export class SendFailed extends GatewayError {}
/** An awaited event did not occur in time. */
export class TimedOut extends GatewayError {}
/** An error inside the gateway, or inside a proxy in front of it. */
export class GatewayFault extends GatewayError {}

/** @type {Record<string, typeof GatewayError>} */
const byCode = {
  offline: ConnectionFailed, certificateRefused: CertificateRefused, idempotencyKeyReused: AlreadyDone,
  storeLocked: StoreLocked, chatError: ChatError, unknownRoute: WrongVersion,
}
/** @type {Record<number, typeof GatewayError>} */
const byStatus = {
  401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 410: CursorExpired, 412: Conflict, 429: RateLimited,
  502: RelayFailed, 503: Unavailable, 504: RelayFailed, 507: StorageFull,
}

/**
 * Makes the error for an answer. An answer of a proxy has no problem document, so the status is the code.
 * @param {number} status the status of the answer; 0 without an answer
 * @param {ProblemDetails} [details]
 */
export function problem(status, details = {}) {
  const code = details.code ?? (status ? `${status}` : "offline")
  const kind = byCode[code] ?? byStatus[status] ?? (status < 500 ? InvalidRequest : GatewayFault)
  return new kind(status, code, details)
}
