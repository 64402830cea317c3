internal import FaradayCore
internal import FaradaySupport

/// The key of a record in a ``CacheStore``.
///
/// A store compares keys, or uses ``digest`` as a name, for files or in an external database. A digest reveals neither URL nor
/// credentials.
public struct CacheKey: Hashable, Sendable {
  let text: String

  /// Creates a key from a unique text. The cache creates its keys itself; tests of a store can create keys too.
  public init(_ text: String) { self.text = text }

  /// The SHA-256 of the key: 64 lower-case hexadecimal digits, equal in every process. It is computed on each access, in some
  /// microseconds.
  public var digest: String { SHA256.hash(text.utf8).hexadecimal }
}

extension CacheKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The digest, because the text may contain a URL with secrets.
  public var description: String { digest }
  public var debugDescription: String { digest }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
