public import FaradayCore

/// Where an ``HTTPCache`` keeps its records: a key-value store, in memory (``MemoryCache``), on disk (``DiskCache``), or anywhere else.
///
/// A store may lose any record at any time, and must never return another than was stored under the key, nor half of one. It bounds its
/// size itself. Calls come concurrently, from any task. A request waits for them, and so does the end of a body, without a timeout: a
/// store over a network bounds its calls itself. Errors that it throws fail no request: reading counts as finding nothing, and a
/// response that cannot be stored is not.
public protocol CacheStore: Sendable {
  /// The size in bytes of the largest body that is offered to the store. A larger one is passed on and not stored. 16 MiB by default:
  /// a body is in memory while it is stored, and when it is returned.
  var maximumEntrySize: Int { get }
  /// The record under the key; nil if there is none.
  func record(for key: CacheKey) async throws -> CacheRecord?
  /// Stores a record, in place of the one under the key if there is one.
  func store(_ record: CacheRecord, for key: CacheKey) async throws
  /// Removes the record under the key, if there is one.
  func remove(_ key: CacheKey) async throws
}

extension CacheStore {
  /// 16 MiB.
  public var maximumEntrySize: Int { 16 << 20 }
}

/// What a ``CacheStore`` stores under a key: a response, or which responses a URL has.
public struct CacheRecord: Sendable {
  enum Content: Sendable {
    case index(VariantIndex)
    case response(StoredResponse)
  }

  let content: Content

  init(_ index: VariantIndex) { content = .index(index) }
  init(_ response: StoredResponse) { content = .response(response) }

  /// About how many bytes it takes in memory.
  public var size: Int {
    switch content {
    case .index(let index): index.size
    case .response(let response): response.headSize + response.body.count
    }
  }

  var index: VariantIndex? { if case .index(let index) = content { index } else { nil } }
  var response: StoredResponse? { if case .response(let response) = content { response } else { nil } }
}

extension CacheRecord: CustomStringConvertible, CustomReflectable {
  /// Without contents, which may be secret.
  public var description: String { "record of about \(size) bytes" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Bytes that are no whole ``CacheRecord``: cut off, changed, or of another version.
public struct InvalidCacheRecord: FaradayError, Hashable {
  /// The error about such bytes.
  public init() {}

  public var description: String { "the bytes are no whole cache record" }
}
