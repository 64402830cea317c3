internal import FaradayCore

/// The key of a record in a ``CacheStore``.
///
/// A store compares keys, or uses ``digest`` as a name: for files, or in a database of others. Nothing can be read from a digest: no
/// URL and no credential.
public struct CacheKey: Hashable, Sendable {
  let text: String

  /// A key of a text that tells it from all others. The cache makes its keys itself; tests of a store may make some too.
  public init(_ text: String) { self.text = text }

  /// The SHA-256 of the key: 64 lower-case hexadecimal digits, the same in every process. It is computed each time, in some
  /// microseconds.
  public var digest: String { SHA256.hash(text.utf8).hexadecimal }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The digest: the text may hold a URL with secrets.
  public var description: String { digest }
  public var debugDescription: String { digest }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
