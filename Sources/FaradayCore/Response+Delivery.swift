internal import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Response {
  /// The response as its request wants it delivered: for adapters that have a head, and a body that is still to be read.
  ///
  /// ``Options/onHead`` is called first. Then the body goes piece by piece to ``Options/onChunk``; or, where the delivery is
  /// ``Delivery/streamed``, it is left to the caller, who can iterate it once; or it is collected, up to
  /// ``Options/maximumBodySize``. ``Options/onDownloadProgress`` is told after each piece in all three. The response to a HEAD has no
  /// body, whatever this one has.
  ///
  /// All of it happens in the task that calls this, or that iterates the body. Throws what a callback throws, `CancellationError` if
  /// ``Options/onChunk`` cancels, ``TransportError/Code/bodyTooLarge``, and what reading the body throws; a ``TransportError`` of a body
  /// that is collected has what had come as its ``TransportError/partialResponse``. The body, or its iterator, is let go of before its
  /// end then, and for HEAD: this is how an engine knows that nobody wants the rest.
  public func delivered(to request: Request) async throws -> Response {
    let options = request.options
    try options.onHead?(HTTPResponse(status: status, headerFields: headers))
    guard request.method != .head else { return with(.empty) }
    if let onChunk = options.onChunk {
      try await read(options) { piece in
        guard try onChunk(piece.span.bytes) == .continue else { throw CancellationError() }
      }
      return with(.empty)
    }
    if options.delivery == .streamed {
      return with(.stream(SingleReading(body: body, onProgress: options.onDownloadProgress), length: body.length))
    }
    var whole = Data()
    do {
      try await read(options) { piece in
        guard whole.count + piece.count <= options.maximumBodySize else {
          throw TransportError(
            .bodyTooLarge, phase: .receiving, method: request.method, url: request.url, secrets: request.secrets,
            message: "the body is larger than the limit of \(options.maximumBodySize) bytes")
        }
        whole.append(piece)
      }
    } catch var error as TransportError {
      error.partialResponse = with(.data(whole))
      throw error
    }
    return with(.data(whole))
  }

  private func read(_ options: Options, _ take: (Data) throws -> Void) async throws {
    var count: Int64 = 0
    for try await piece in body {
      try Task.checkCancellation()
      try take(piece)
      count += Int64(piece.count)
      options.onDownloadProgress?(TransferProgress(bytes: count, total: body.length))
    }
  }

  private func with(_ body: Body) -> Response {
    var response = self
    response.body = body
    return response
  }
}

/// A body that gives its pieces to the first iterator, and tells how far it is.
private struct SingleReading: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  let body: Body
  let onProgress: ProgressHandler?
  private let isTaken = Taken()

  init(body: Body, onProgress: ProgressHandler?) {
    self.body = body
    self.onProgress = onProgress
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(rest: isTaken.take() ? body.makeAsyncIterator() : nil, total: body.length, onProgress: onProgress)
  }

  struct Iterator: AsyncIteratorProtocol {
    private var rest: Body.AsyncIterator?
    private let total: Int64?
    private let onProgress: ProgressHandler?
    private var count: Int64 = 0

    init(rest: Body.AsyncIterator?, total: Int64?, onProgress: ProgressHandler?) {
      (self.rest, self.total, self.onProgress) = (rest, total, onProgress)
    }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      try Task.checkCancellation()
      guard rest != nil else { throw BodyAlreadyRead() }
      guard let piece = try await rest?.next(isolation: isolation) else { return nil }
      count += Int64(piece.count)
      onProgress?(TransferProgress(bytes: count, total: total))
      return piece
    }
  }

  private final class Taken: Sendable {
    private let isTaken = Atomic(false)
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
  }
}
