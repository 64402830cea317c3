internal import Synchronization
#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The body of a streamed response: read once, by one task at a time.
///
/// The transfer ends when the last of this and its iterator goes, and when its iterator goes before it has reached the end.
package struct StreamedBody: AsyncSequence, Sendable {
  package typealias Element = Data
  package typealias Failure = any Error

  private let access: Access

  /// - Parameters:
  ///   - resume: called when there is room again after the buffer was paused.
  ///   - cancel: called when nobody will read the rest.
  package init(_ buffer: ReceiveBuffer, resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
    access = Access(Lease(buffer: buffer, resume: resume, cancel: cancel))
  }

  package func makeAsyncIterator() -> Iterator { Iterator(lease: access.take()) }

  /// Lets the first iterator have the lease.
  private final class Access: Sendable {
    private let lease: Mutex<Lease?>

    init(_ lease: Lease) { self.lease = Mutex(lease) }

    func take() -> Lease? {
      lease.withLock { lease in
        defer { lease = nil }
        return lease
      }
    }
  }

  package struct Iterator: AsyncIteratorProtocol {
    private let lease: Lease?
    private var pieces = Fifo<Data>()
    private var hasEnded = false

    fileprivate init(lease: Lease?) { self.lease = lease }

    package mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
      guard let lease else { throw BodyAlreadyRead() }
      guard !hasEnded else { return nil }
      if pieces.isEmpty {
        do {
          for piece in try await lease.take() { pieces.append(piece) }
        } catch {
          hasEnded = true
          throw error
        }
      }
      guard let piece = pieces.popFirst() else {
        hasEnded = true
        return nil
      }
      lease.read(piece.count)
      return piece
    }
  }

  /// The right to read the body. When it goes, so does the transfer.
  fileprivate final class Lease: Sendable {
    private let buffer: ReceiveBuffer
    private let resume: @Sendable () -> Void
    private let cancel: @Sendable () -> Void

    init(buffer: ReceiveBuffer, resume: @escaping @Sendable () -> Void, cancel: @escaping @Sendable () -> Void) {
      self.buffer = buffer
      self.resume = resume
      self.cancel = cancel
    }

    deinit {
      if !buffer.hasEnded { cancel() }
    }

    func take() async throws -> [Data] {
      if let pieces = try buffer.takeNow() { return pieces }
      return try await withTaskCancellationHandler {
        try await buffer.take()
      } onCancel: {
        cancel()
      }
    }

    func read(_ count: Int) {
      if buffer.read(count) { resume() }
    }
  }
}

/// A streamed body that has an iterator already: it can be read once.
package struct BodyAlreadyRead: Error, CustomStringConvertible {
  package var description: String { "the body of a streamed response can be iterated once" }
}
