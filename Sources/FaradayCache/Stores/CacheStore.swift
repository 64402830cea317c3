internal import FaradayCore

/// The store of an ``HTTPCache``: a key-value store in memory (``MemoryCache``), on disk (``DiskCache``), or anywhere else.
///
/// A store may lose any record at any time. It must never return a record that was stored under another key, or a truncated
/// record. It must bound its size. Calls are concurrent, from any task. Requests and the end of a body wait for the calls
/// without a timeout, so a store over a network must limit the time of its calls. Its errors fail no request: a failed read
/// counts as no record, and a failed write means that the response is not stored.
public protocol CacheStore: Sendable {
  /// The maximum size in bytes of a stored body. A larger body is passed on and not stored. 16 MiB by default: a body is in
  /// memory while it is stored, and when it is returned.
  var maximumEntrySize: Int { get }
  /// Returns the record under the key; nil if there is none.
  func record(for key: CacheKey) async throws -> CacheRecord?
  /// Stores a record, and replaces an existing one under the key.
  func store(_ record: CacheRecord, for key: CacheKey) async throws
  /// Removes the record under the key, if there is one.
  func remove(_ key: CacheKey) async throws
}

extension CacheStore {
  /// 16 MiB by default.
  public var maximumEntrySize: Int { 16 << 20 }
}

/// The value that a ``CacheStore`` stores under a key: a response, or the index of a URL.
public struct CacheRecord: Sendable {
  enum Content: Sendable {
    case index(VariantIndex)
    case response(StoredResponse)
  }

  let content: Content

  init(_ index: VariantIndex) { content = .index(index) }
  init(_ response: StoredResponse) { content = .response(response) }

  /// The approximate size in memory, in bytes.
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
  /// The description without the contents, which may be secret.
  public var description: String { "record of about \(size) bytes" }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
