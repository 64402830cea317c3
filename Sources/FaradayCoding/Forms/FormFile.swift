public import FaradayCore

/// A file in a value that is encoded as a multipart form. The file is streamed from disk while it is sent.
public struct FormFile: Sendable, Encodable {
  /// The path of the file.
  public var path: String
  /// The filename for the server; nil means the last component of the path.
  public var filename: String?
  /// The media type of the part; nil derives it from the filename's extension, or is `application/octet-stream` if the
  /// extension is unknown.
  public var type: MediaType?

  /// A file that is read when it is sent.
  public init(_ file: some FileReference, filename: String? = nil, type: MediaType? = nil) {
    path = file.filePath
    self.filename = filename
    self.type = type
  }

  /// Throws an `EncodingError` in any encoder except ``MultipartFormEncoder``.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalid(self, at: encoder.codingPath, "a file can be encoded only in a multipart form")
  }
}

extension MediaType {
  /// The media type of a filename by its case-insensitive extension; ``FaradayCore/MediaType/binary`` if the extension is
  /// missing or unknown.
  public init(extensionOf filename: String) {
    let parts = filename.split(separator: ".", omittingEmptySubsequences: false)
    let known = parts.count > 1 ? Self.byExtension[parts[parts.count - 1].lowercased()] : nil
    self = known.flatMap { MediaType($0) } ?? .binary
  }

  private static let byExtension = [
    "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css",
    "csv": "text/csv", "doc": "application/msword",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "gif": "image/gif",
    "gz": "application/gzip", "heic": "image/heic", "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon",
    "jpeg": "image/jpeg", "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "md": "text/markdown",
    "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "mpeg": "video/mpeg", "ogg": "audio/ogg",
    "otf": "font/otf", "pdf": "application/pdf", "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rtf": "application/rtf",
    "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf",
    "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "woff2": "font/woff2",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
    "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
  ]
}
