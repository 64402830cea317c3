/// A file or folder on disk: its path as a string, or a file URL.
///
/// Any other URL fails when the file is opened, with an error that shows the URL.
public protocol FileReference: Sendable {
  /// The path in the file system.
  var filePath: String { get }
}

extension String: FileReference {
  /// The string itself.
  public var filePath: String { self }
}

extension URL: FileReference {
  /// The decoded path of a file URL; the text of any other URL.
  public var filePath: String { isFileURL ? path(percentEncoded: false) : absoluteString }
}
