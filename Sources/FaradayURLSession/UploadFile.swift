internal import FaradayCore
internal import Foundation

/// A file with a request's body, which URLSession sends in constant memory. Its input streams are no alternative: on Linux, reading
/// one blocks the queue that all sessions share while the source has no bytes.
final class UploadFile: Sendable {
  let url: URL
  private let isTemporary: Bool

  /// The body's own file if its size is unchanged, otherwise a temporary one, which is deleted with this object. Throws what
  /// reading the body throws, and ``LengthMismatch`` if it does not have its stated length.
  init(_ body: Body) async throws {
    if let file = body.file, let now = try Body.file(file.path).length, now == file.length {
      url = URL(fileURLWithPath: file.path)
      isTemporary = false
      return
    }
    url = FileManager.default.temporaryDirectory.appendingPathComponent("faraday-upload-\(UUID().uuidString)")
    isTemporary = true
    try await write(body)
  }

  var isEmpty: Bool { size == 0 }
  private var size: Int { (try? url.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0 }

  /// The content, if it is at most 8 MiB; nil if it is larger or cannot be read.
  var smallContent: Data? { size <= 8 << 20 ? try? Data(contentsOf: url) : nil }

  deinit {
    if isTemporary { try? FileManager.default.removeItem(at: url) }
  }

  private func write(_ body: Body) async throws {
    guard FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600]) else {
      throw CannotWrite(path: url.path)
    }
    let handle = try FileHandle(forWritingTo: url)
    defer { try? handle.close() }
    var written: Int64 = 0
    for try await piece in body {
      try Task.checkCancellation()
      written += Int64(piece.count)
      if let length = body.length, written > length { throw LengthMismatch(stated: length, actual: nil) }
      try handle.write(contentsOf: piece)
    }
    if let length = body.length, written < length { throw LengthMismatch(stated: length, actual: written) }
  }

  struct CannotWrite: Error, CustomStringConvertible {
    let path: String
    var description: String { "cannot create the temporary file \(path) for the request's body" }
  }
}
