@_spi(Adapters) internal import FaradayCore
internal import Foundation

/// A file with a request's body, which URLSession sends in constant memory. URLSession's input streams are not an alternative:
/// on Linux, reading a stream without available bytes blocks the queue that all sessions share.
final class UploadFile: Sendable {
  let url: URL
  private let isTemporary: Bool

  /// Uses the body's file if its size is unchanged, otherwise a temporary file, which is deleted with this object. Throws the
  /// errors of reading the body, and ``LengthMismatch`` if the body does not have its stated length.
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
