public import FaradayCore

/// A file as a member of a value that is sent as a multipart form.
public struct FormFile: Sendable, Encodable {
  public var path: String
  /// The last component of the path unless given.
  public var filename: String?
  /// By the filename's extension unless given; `application/octet-stream` if that is unknown.
  public var type: MediaType?

  public init(_ path: String, filename: String? = nil, type: MediaType? = nil) {
    self.path = path
    self.filename = filename
    self.type = type
  }

  /// Only ``MultipartFormEncoder`` has a place for files; every other encoder throws.
  public func encode(to encoder: any Encoder) throws {
    throw EncodingError.invalid(self, at: encoder.codingPath, "only a multipart form has a place for a file")
  }
}

extension MediaType {
  /// By the extension of a filename; ``FaradayCore/MediaType/binary`` if it has none or one that is unknown.
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
