internal import FaradayCore
private import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What makes a mock treat bodies as an adapter that sends them.
extension MockAdapter {
  /// The bytes of the request's body.
  func read(_ request: Request) async throws -> Data {
    var body = Data()
    let length = request.body.length
    do {
      for try await piece in request.body where !piece.isEmpty {
        body.append(piece)
        if let length, body.count > length { throw LengthMismatch(stated: length, actual: nil) }
        request.options.onUploadProgress?(TransferProgress(bytes: Int64(body.count), total: length))
      }
      if let length, body.count < length { throw LengthMismatch(stated: length, actual: Int64(body.count)) }
    } catch let error as CancellationError {
      throw error
    } catch {
      var failure = TransportError(.bodyUnreadable, building: request, "")
      failure.setBodyFailure(error)
      throw failure
    }
    return body
  }

  /// The body as a streamed response has it.
  func readOnce(_ body: Body, for request: Request) -> Body {
    .stream(OneReading(body: body, onProgress: request.options.onDownloadProgress), length: body.length)
  }
}

/// A body that gives its pieces to the first that asks.
private struct OneReading: AsyncSequence, Sendable {
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
    var rest: Body.AsyncIterator?
    let total: Int64?
    let onProgress: ProgressHandler?
    private var count: Int64 = 0

    init(rest: Body.AsyncIterator?, total: Int64?, onProgress: ProgressHandler?) {
      (self.rest, self.total, self.onProgress) = (rest, total, onProgress)
    }

    mutating func next() async throws -> Data? {
      try Task.checkCancellation()
      guard rest != nil else { throw AlreadyRead() }
      guard let piece = try await rest?.next() else { return nil }
      count += Int64(piece.count)
      onProgress?(TransferProgress(bytes: count, total: total))
      return piece
    }
  }

  private struct AlreadyRead: Error, CustomStringConvertible {
    var description: String { "the body of a streamed response can be iterated once" }
  }

  private final class Taken: Sendable {
    private let isTaken = Atomic(false)
    func take() -> Bool { !isTaken.exchange(true, ordering: .relaxed) }
  }
}
