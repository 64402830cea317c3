/// The reader's side of a `ResponseStream`: read once, by one task at a time.
///
/// The transfer is cancelled when the body and its iterator are released, and when the iterator is released before its end.
struct ReceivedBody: Sendable {
  let length: Int64?
  /// The connection whose secrets are redacted in errors that the body throws; nil without a connection.
  var context: ConnectionContext?
  private let access: Once<ResponseStream.Lease>

  init(_ lease: ResponseStream.Lease, length: Int64?) {
    self.length = length
    access = Once(lease)
  }

  func makeReader() -> BodyReader {
    guard let lease = access.take() else { return { throw BodyAlreadyRead() } }
    // Released at the end of the body, not with the reader: an `onEnd` closure is called then.
    var held: ResponseStream.Lease? = lease
    // In reverse order: `popLast` releases each piece when it is delivered.
    var pieces: [Data] = []
    return { [context] in
      guard let lease = held else { return nil }
      if pieces.isEmpty {
        do {
          pieces = try await lease.take().reversed()
        } catch {
          held = nil
          throw error.redacted(by: context)
        }
      }
      guard let piece = pieces.popLast() else {
        held = nil
        return nil
      }
      lease.read(piece.count)
      return piece
    }
  }

  /// Calls the closure when the lease is released; at once if reading has begun.
  func onEnd(_ call: @escaping @Sendable (Body.End) -> Void) {
    let isObserved = access.peek { lease in
      lease.observe { [context] end in
        if case .failed(let error) = end { return call(.failed(error.redacted(by: context))) }
        call(end)
      }
    }
    if !isObserved { call(.complete) }
  }

  /// Calls the closure with each piece.
  func drain(into take: @escaping ChunkHandler) async throws {
    guard let lease = access.take() else { throw BodyAlreadyRead() }
    do { try await lease.drain(into: take) } catch { throw error.redacted(by: context) }
  }
}

/// The error for a streamed response body that is read a second time.
package struct BodyAlreadyRead: Error, CustomStringConvertible {
  package var description: String { "the body of a streamed response can be read only once" }
}
