internal import Dispatch
internal import FaradayCore
internal import Foundation
private import Synchronization

/// A request's body on its way into a URLSession: read by a thread of the session, which waits while the source has nothing.
final class UploadSource: Sendable {
  private let buffer: SendBuffer
  private let news = DispatchSemaphore(value: 0)
  private let waits = Atomic<Bool>(false)
  private let hasEnded = Atomic<Bool>(false)

  init(length: Int64?) { buffer = SendBuffer(length: length) }

  /// Whether the source is what is waited for.
  var isDry: Bool { waits.load(ordering: .relaxed) }
  /// Why the body cannot be sent, if it cannot.
  var failure: (any Error)? { buffer.failure }

  /// Reads the body until it ends, or nobody reads this any more.
  func pump(_ body: Body) async {
    await buffer.pump(body) { [news] in news.signal() }
  }

  func open() { buffer.open() }

  /// Ends it: a reader that waits is told that it has failed.
  func stop() {
    hasEnded.store(true, ordering: .sequentiallyConsistent)
    buffer.close()
    news.signal()
  }

  /// Fills the target as far as it can, waiting if there is nothing. 0 at the end, -1 if it has failed.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    while !hasEnded.load(ordering: .sequentiallyConsistent) {
      switch buffer.fill(target) {
      case .bytes(let count): return count
      case .end: return 0
      case .failed: return -1
      case .dry:
        waits.store(true, ordering: .relaxed)
        news.wait()
        waits.store(false, ordering: .relaxed)
      }
    }
    return -1
  }
}

/// The source as URLSession takes it.
final class UploadStream: InputStream {
  private let source: UploadSource

  init(_ source: UploadSource) {
    self.source = source
    super.init(data: Data())
  }

  override func open() { source.open() }
  override func close() {}
  override var streamStatus: Stream.Status { .notOpen }
  override var streamError: (any Error)? { source.failure }
  // What says no has ended: reading waits instead.
  override var hasBytesAvailable: Bool { true }

  override func read(_ target: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
    source.read(into: UnsafeMutableRawBufferPointer(start: target, count: maxLength))
  }
}
