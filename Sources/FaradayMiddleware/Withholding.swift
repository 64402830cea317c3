internal import FaradayCore
internal import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// For a middleware that may send a request again: keeps back from the caller's callbacks what belongs to a response that the
/// caller is not to see, in every delivery.
///
/// Whether a response is for the caller is told from its head alone, before a byte of its body. The body of one that is not may
/// be larger than ``FaradayCore/Options/maximumBodySize``: it is cut there.
struct Withholding: Sendable {
  /// The most that is read of a body that nobody wants, so that its connection can be used again.
  static let drained = 64 << 10

  let response: Response
  /// Whether the caller's callbacks saw none of it.
  let isWithheld: Bool
  /// Whether the body of a withheld response was longer than what was kept of it.
  let isCut: Bool

  /// What an exchange that failed had already told the caller.
  struct Failure: Error {
    let error: any Error
    /// Whether a callback has seen the head, a piece or progress: then it cannot be taken back.
    let wasSeen: Bool
  }

  /// Sends the request; its response is withheld if the closure says so of its head. Throws what sending throws.
  ///
  /// - Parameters:
  ///   - limit: how many bytes of a body that the chunk callback was not to see become the response's body.
  ///   - bodyMatters: false if a withheld response is one also where its body breaks off or stalls, and has what came of it.
  static func send(
    _ request: Request, next: Next, keeping limit: Int = 0, bodyMatters: Bool = true,
    withholding isUnwanted: @escaping @Sendable (HTTPResponse) -> Bool
  ) async throws -> Withholding {
    do {
      return try await attempt(request, next: next, keeping: limit, bodyMatters: bodyMatters, withholding: isUnwanted)
    } catch {
      throw error.error
    }
  }

  /// The same for those who may send again after an error.
  static func attempt(
    _ request: Request, next: Next, keeping limit: Int = 0, bodyMatters: Bool = true,
    withholding isUnwanted: @escaping @Sendable (HTTPResponse) -> Bool
  ) async throws(Failure) -> Withholding {
    let gate = Gate(keeping: limit, isUnwanted: isUnwanted)
    do {
      var response = try await next(gate.guarding(request))
      let isWithheld = gate.judge(HTTPResponse(status: response.status, headerFields: response.headers))
      let (kept, isCut) = gate.kept
      if isWithheld, !kept.isEmpty { response.body = .data(kept) }
      return Withholding(response: response, isWithheld: isWithheld, isCut: isCut)
    } catch {
      // A body that was cut off by the gate itself: there was as much of it as was wanted.
      if let head = gate.headOfCutBody {
        let response = Response(
          status: head.status, headers: head.headerFields, body: .data(gate.kept.bytes), url: request.url
        ).takingSecrets(of: request)
        return Withholding(response: response, isWithheld: true, isCut: true)
      }
      // One that outgrew what the caller's body may be is of no matter where it is not the caller's.
      if let failure = error as? TransportError, failure.code == .bodyTooLarge || !bodyMatters,
        let partial = failure.partialResponse, gate.judge(HTTPResponse(status: partial.status, headerFields: partial.headers))
      {
        return Withholding(response: partial, isWithheld: true, isCut: true)
      }
      throw Failure(error: error, wasSeen: gate.wasSeen)
    }
  }

  /// Reads the rest of an unwanted streamed body if it is said to be short, and no more than that; else its connection is given
  /// up.
  func drain() async {
    guard let text = response.headers[.contentLength], let length = Int(text), length <= Self.drained else { return }
    guard response.body.isStreamed else { return }
    // A few bytes on the wire can be very many when they are decompressed.
    var count = 0
    do {
      for try await piece in response.body {
        count += piece.count
        if count > Self.drained { return }
      }
    } catch {}
  }

  /// What the callbacks pass through.
  private final class Gate: Sendable {
    private let limit: Int
    private let isUnwanted: @Sendable (HTTPResponse) -> Bool
    private let state = Mutex(State())

    private struct State {
      var verdict: Bool?
      var head: HTTPResponse?
      var count = 0
      var kept = Data()
      var isCut = false
      var wasSeen = false
    }

    init(keeping limit: Int, isUnwanted: @escaping @Sendable (HTTPResponse) -> Bool) {
      self.limit = limit
      self.isUnwanted = isUnwanted
    }

    var wasSeen: Bool { state.withLock { $0.wasSeen } }
    var kept: (bytes: Data, isCut: Bool) { state.withLock { ($0.kept, $0.count > $0.kept.count) } }
    var headOfCutBody: HTTPResponse? { state.withLock { $0.isCut ? $0.head : nil } }

    /// Whether the response is withheld; asked of the caller once for each response.
    func judge(_ head: HTTPResponse) -> Bool {
      if let verdict = state.withLock({ $0.verdict }) { return verdict }
      let verdict = isUnwanted(head)
      state.withLock {
        $0.verdict = verdict
        $0.head = head
      }
      return verdict
    }

    /// Without callbacks there is nothing to guard, and nothing to ask of the adapter.
    func guarding(_ request: Request) -> Request {
      let options = request.options
      guard options.onChunk != nil || options.onHead != nil || options.onDownloadProgress != nil else { return request }
      var request = request
      request.options.onHead = { [self] head in
        guard !judge(head) else { return }
        if let onHead = options.onHead {
          state.withLock { $0.wasSeen = true }
          try onHead(head)
        }
      }
      if let onChunk = options.onChunk {
        request.options.onChunk = { [self] bytes in
          if let flow = withhold(bytes) { return flow }
          return try onChunk(bytes)
        }
      }
      if let onDownloadProgress = options.onDownloadProgress {
        request.options.onDownloadProgress = { [self] progress in if opens() { onDownloadProgress(progress) } }
      }
      return request
    }

    /// Whether a callback may see the body; it has seen some of it from now on.
    private func opens() -> Bool {
      state.withLock { state in
        guard state.verdict == false else { return false }
        state.wasSeen = true
        return true
      }
    }

    /// Takes a piece that the caller is not to see; nil if the caller is, and has from now on.
    private func withhold(_ bytes: RawSpan) -> Flow? {
      state.withLock { state -> Flow? in
        guard state.verdict != false else {
          state.wasSeen = true
          return nil
        }
        let start = bytes.extracting(first: max(0, limit - state.kept.count))
        start.withUnsafeBytes { state.kept.append(contentsOf: $0) }
        state.count += bytes.byteCount
        state.isCut = state.count > max(limit, Withholding.drained)
        return state.isCut ? .cancel : .continue
      }
    }
  }
}
