internal import FaradayCore
internal import Synchronization
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The body of a streamed response: read once, by one task at a time.
///
/// The transfer ends when the last of this and its iterator goes, and when its iterator goes before it has reached the end.
struct StreamedBody: AsyncSequence, Sendable {
  typealias Element = Data
  typealias Failure = any Error

  private let access: Access

  init(transfer: Transfer, buffer: ReceiveBuffer, handle: EngineHandle) {
    access = Access(Lease(transfer: transfer, buffer: buffer, handle: handle))
  }

  func makeAsyncIterator() -> Iterator { Iterator(lease: access.take()) }

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

  struct Iterator: AsyncIteratorProtocol {
    let lease: Lease?
    private var pieces = Fifo<Data>()
    private var hasEnded = false

    fileprivate init(lease: Lease?) { self.lease = lease }

    mutating func next(isolation: isolated (any Actor)?) async throws -> Data? {
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
  final class Lease: Sendable {
    private let transfer: Transfer
    private let buffer: ReceiveBuffer
    private let handle: EngineHandle

    init(transfer: Transfer, buffer: ReceiveBuffer, handle: EngineHandle) {
      self.transfer = transfer
      self.buffer = buffer
      self.handle = handle
    }

    deinit {
      if !buffer.hasEnded { handle.post(.cancel(transfer)) }
    }

    func take() async throws -> [Data] {
      if let pieces = try buffer.takeNow() { return pieces }
      return try await withTaskCancellationHandler {
        try await buffer.take()
      } onCancel: {
        handle.post(.cancel(transfer))
      }
    }

    func read(_ count: Int) {
      if buffer.read(count) { handle.post(.resumeReceiving(transfer)) }
    }
  }
}

/// A streamed body that has an iterator already: it can be read once.
struct BodyAlreadyRead: Error, CustomStringConvertible {
  var description: String { "the body of a streamed response can be iterated once" }
}
